import { dirname, resolve } from 'node:path'
import type { DevInput } from '#cli/contract/dev.ts'
import type { Closers } from './closers.ts'
import { openDevFolder } from './dev-folder.ts'
import { startDevStack } from './dev-stack.ts'
import type { DevStack, DevStackInput } from './dev-stack.ts'
import type { DevAgent } from '../agent/read-agent.ts'

/** Starts the platform of a session; `publicUrl` is the console of `--ui`, and `content` applies the agent. The start is awaited before it is closed, also if a signal has ended the session meanwhile. */
export function openDevStack(
  { values, env, version, err }: DevInput,
  closers: Closers,
  given: Pick<DevStackInput, 'publicUrl' | 'content'>,
): Promise<DevStack> {
  const folder = openDevFolder(values.data)
  closers.push(folder.remove)
  const write = (line: string): void => err(`${line}\n`)
  const cwd = values.file === '-' ? process.cwd() : dirname(resolve(values.file))
  const starting = startDevStack({ dataDir: folder.path, cwd, env, version, write, ...given })
  closers.push(() => starting.then((stack) => stack.close()).catch(() => undefined))
  return starting
}

/** Namespace and name of an agent. */
export function agentRefOf({ agent: { metadata } }: DevAgent): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? 'default', name: metadata.name }
}
