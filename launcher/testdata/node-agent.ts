import { fileURLToPath } from 'node:url'

/** Node with a compile cache: types are stripped once for all processes that tests start. */
export const cachingNode = [process.execPath, '--import', import.meta.resolve('./compile-cache.mjs')] as const

/** The example agent in TypeScript. */
export const nodeAgent = [...cachingNode, fileURLToPath(import.meta.resolve('./agent.ts'))] as const
