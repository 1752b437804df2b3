import { fileURLToPath } from 'node:url'

/** Node as tests start it again and again: types are stripped once for all processes. */
export const cachingNode = [process.execPath, '--import', import.meta.resolve('./compile-cache.mjs')] as const

/** The example agent in TypeScript. */
export const nodeAgent = [...cachingNode, fileURLToPath(import.meta.resolve('./agent.ts'))] as const
