import { readFileSync } from 'node:fs'
import type { Role } from '#core/host/core.ts'
import { composeHost } from '#core/host/compose.ts'
import { exitCodes, runProcess } from '#core/host/run-process.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { plugins } from '#plugins/index.ts'

// What others stand on starts first.
const everything: readonly Role[] = ['migrate', 'state', 'manager', 'worker', 'gateway', 'bff']
const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string }

/** `mesh <role>`: composes the process of a role, runs it until a signal, and answers with its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '', ...flags] = args
  const roles = name === 'all' ? everything : everything.filter((role) => role === name)
  if (roles.length === 0) {
    process.stderr.write(`usage: mesh ${[...everything, 'all'].join('|')}\n`)
    return exitCodes.usage
  }
  // Imported here: a role of a cluster pays nothing for what stands in for one.
  if (name === 'all')
    return (await import('#local/run.ts')).runLocal(flags, { roles, plugins, env: process.env, version })
  try {
    return await runProcess(await composeHost({ roles, plugins, env: process.env, version }), roles)
  } catch (error) {
    createLogger().error({}, error instanceof Error ? error.message : String(error))
    return exitCodes.failed
  }
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)))
