import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { spawnFlags } from '#test/harness/spawn-flags.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

/** `meshctl dev` as a process, in a folder of its own. */
export interface DevProcess {
  readonly folder: string
  /** Folder of temporary files of the process. */
  readonly temporary: string
  readonly child: ChildProcess
  out(): string
  err(): string
  /** Resolves when standard output or error matches. */
  says(pattern: RegExp): Promise<string>
  /** Writes a file of the folder. */
  write(name: string, text: string): string
  /** `POST /invoke` of the published port. */
  invoke(body: unknown): Promise<Response>
  /** Resolves with the exit code. */
  ended(): Promise<number | null>
  /** Sends a signal, and resolves with the exit code. */
  stop(signal?: 'SIGINT' | 'SIGTERM'): Promise<number | null>
}

const program = fileURLToPath(import.meta.resolve('../../testdata/meshctl.ts'))
const WAIT_MS = 90_000

/** Writes files, and starts `meshctl dev` with the arguments on any free port. */
export function startDevCommand(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): DevProcess {
  const { path: folder, remove } = tempFolder('dev')
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const child = spawn(process.execPath, [...spawnFlags, program, 'dev', '-p', '0', ...args], {
    cwd: folder,
    env: { ...pick('PATH', 'HOME', 'MESH_TEST_PROGRAM', 'NODE_COMPILE_CACHE'), TMPDIR: temporary, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout?.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  const ended = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    await remove()
  })
  const codeOf = async (): Promise<number | null> => {
    const [code] = (await ended) as [number | null]
    return code
  }
  const says = async (pattern: RegExp): Promise<string> => {
    const began = performance.now()
    for (;;) {
      const found = pattern.exec(`${said.out}${said.err}`)
      if (found !== null) return found[1] ?? found[0]
      if (performance.now() - began > WAIT_MS || (child.exitCode !== null && (child.stdout?.readableEnded ?? true)))
        throw new Error(`${String(pattern)} was not printed: ${said.out}${said.err}`)
      await pause(20)
    }
  }
  return {
    folder,
    temporary,
    child,
    out: () => said.out,
    err: () => said.err,
    says,
    write,
    invoke: async (body) =>
      fetch(await says(/POST (http:\S+)/), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    ended: codeOf,
    stop: (signal = 'SIGINT') => {
      child.kill(signal)
      return codeOf()
    },
  }
}

function pick(...names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}
