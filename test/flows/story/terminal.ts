import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { requireServer } from '#test/harness/find-server.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

/** What a command line printed, and its exit code. */
export interface Typed {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A command that stays in its terminal. */
export interface Background {
  /** Waits until it has printed a match. */
  says(pattern: RegExp): Promise<string>
  /** Sends a signal, by default that of Ctrl-C, and resolves with the exit code. */
  stop(signal?: 'SIGINT' | 'SIGTERM'): Promise<number | null>
}

/** A terminal in an empty folder, with `meshctl` and `kubectl` on its path and nothing else in its environment. */
export interface Terminal {
  readonly folder: string
  /** Variables that the user has exported. */
  readonly env: Record<string, string>
  /** Types a command line, and waits for its end. */
  type(line: string): Promise<Typed>
  /** Types a command line into a second terminal of the same folder. */
  background(line: string): Background
  write(name: string, text: string): void
  read(name: string): string
}

const program = fileURLToPath(import.meta.resolve('../../../scripts/program/start-meshctl.mjs'))
const WAIT_MS = 180_000
const MOST_BYTES = 64 * 1024 * 1024

/** Opens a terminal. */
export function openTerminal(t: Scope): Terminal {
  const root = tempFolder('terminal')
  t.after(root.remove)
  const [folder, bin, tmp] = ['agent', 'bin', 'tmp'].map((name) => join(root.path, name)) as [string, string, string]
  for (const path of [folder, bin, tmp]) mkdirSync(path)
  addProgram(bin, 'meshctl', `'${process.execPath}' '${program}'`)
  addProgram(bin, 'kubectl', `'${requireServer(t, 'kubectl')}'`)
  const env: Record<string, string> = { PATH: `${bin}:/usr/bin:/bin`, HOME: root.path, TMPDIR: tmp }
  return {
    folder,
    env,
    type: async (line) => typeLine(line, folder, env),
    background: (line) => startLine(t, line, { folder, env }),
    write: (name, text) => writeFileSync(join(folder, name), text),
    read: (name) => readFileSync(join(folder, name), 'utf8'),
  }
}

function addProgram(bin: string, name: string, command: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`)
  chmodSync(join(bin, name), 0o755)
}

function typeLine(line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Typed> {
  const { promise, resolve } = Promise.withResolvers<Typed>()
  const options = { cwd, env, timeout: WAIT_MS, maxBuffer: MOST_BYTES }
  execFile('bash', ['-o', 'pipefail', '-c', line], options, (error, out, err) => {
    resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err })
  })
  return promise
}

function startLine(t: Scope, line: string, { folder, env }: Pick<Terminal, 'folder' | 'env'>): Background {
  const child = spawn('bash', ['-c', `exec ${line}`], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const closed = once(child, 'close') as Promise<[number | null]>
  t.after(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return {
    says: async (pattern) => {
      for (const end = performance.now() + WAIT_MS; performance.now() < end; await pause(20)) {
        const found = pattern.exec(said)
        if (found !== null) return found[1] ?? found[0]
        if (child.exitCode !== null && child.stdout.readableEnded) break
      }
      throw new Error(`${line} did not print ${String(pattern)}: ${said}`)
    },
    stop: async (signal = 'SIGINT') => {
      child.kill(signal)
      return (await closed)[0]
    },
  }
}
