import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endsWithParent } from '#test/harness/server-process.ts'

/** The folder of the project. */
export const root = join(import.meta.dirname, '..', '..')

/** A process that prints one line on stdout when it is ready. */
export interface Started {
  readonly pid: number
  /** Milliseconds from its start to that line. */
  readonly readyMs: number
  readonly line: string
  stop(): Promise<void>
}

/** Starts a program and waits for its first line on stdout. A killed bench leaves none behind. */
export async function startProcess(
  program: string,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Promise<Started> {
  const from = performance.now()
  const [file, ...rest] = endsWithParent({ program, args }, 'TERM')
  const child = spawn(file, rest, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  child.stderr.on('data', (chunk: Buffer) => void said.push(chunk.toString()))
  const exited = once(child, 'exit')
  const died = exited.then(([code]) => Promise.reject(new Error(`${program} ended with ${code}: ${said.join('')}`)))
  died.catch(() => undefined)
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), died])) as [string]
  return {
    pid: child.pid ?? 0,
    readyMs: performance.now() - from,
    line,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Content of the JSON line of `mesh all`. */
export interface Announced {
  readonly url: string
  readonly gatewayUrl: string
  readonly kubeconfig: string
  readonly dataDir: string
  readonly tokens: Readonly<Record<string, string>>
  readonly pid: number
}

/** The embedded default by `npm start`; `pid` is the platform's own, not npm's. The time includes npm's start. */
export async function startPlatform(dataDir: string, flags: readonly string[] = []): Promise<Started & Announced> {
  const args = ['start', '--silent', '--', '--data', dataDir, '--port', '0', '--output', 'json', ...flags]
  const started = await startProcess('npm', args)
  return { ...started, ...(JSON.parse(started.line) as Announced) }
}

/** Runs work with a temporary folder and removes it. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
