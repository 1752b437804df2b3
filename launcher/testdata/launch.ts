import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { createInterface } from 'node:readline'
import { Agent, fetch as undiciFetch } from 'undici'
import type { RequestInit } from 'undici'
import type { LauncherConfig } from '#schemas/launcher/launcher.ts'
import type { LauncherEntry } from '#schemas/runs/run.ts'
import { createSseParser } from '#core/sse/parser.ts'
import { freePort } from '#test/harness/free-port.ts'
import { launcherProgram } from '#test/harness/program.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { cachingNode } from './node-agent.ts'
import type { Scope } from '#test/harness/scope.ts'

/** A launcher as its own process, and what it logged. */
export interface LaunchedProcess {
  readonly pid: number
  readonly url: string
  readonly port: number
  readonly agentPort: number
  readonly lines: readonly Record<string, unknown>[]
  /** The first past or future log line that matches. */
  line(fits: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>
  readonly exited: Promise<number | NodeJS.Signals>
  kill(signal: NodeJS.Signals): void
  /** Lines that the agent of testdata/agent.ts noted. */
  notes(): string[]
  port2994(): Promise<number>
  /** Closes this end of `MESH_PARENT_PIPE_FD`. */
  closeParentPipe(): void
  /** Closes this end of its stderr: its next log line fails with EPIPE. */
  closeLog(): void
}

/** Options of `launch`. `prefix` is the command before node, such as tini. */
export interface LaunchOptions {
  readonly config?: Partial<LauncherConfig>
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly prefix?: readonly string[]
  readonly parentPipe?: boolean
  /** The launcher requires signed runs over TLS; `STATE_URL` is the state role that certifies it. */
  readonly signed?: boolean
  /** Program in place of `launcher/main.ts`, started by `prefix`. */
  readonly main?: string
  /** Do not wait until the agent is ready. */
  readonly early?: boolean
}

// Tests of responses do not verify the launcher's identity.
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })

/** As `fetch`, without verification of the launcher's key. */
export const fetch = (url: string, init: RequestInit = {}) => undiciFetch(url, { dispatcher, ...init })

/** Starts `launcher/main.ts`, unsigned by default, on free loopback ports; it ends with the test, by its pid. */
export async function launch(t: Scope, options: LaunchOptions = {}): Promise<LaunchedProcess> {
  const folder = tempFolder('launcher')
  const config = join(folder.path, 'agent.json')
  const journal = join(folder.path, 'agent.journal')
  writeFileSync(config, JSON.stringify({ name: 'robot', namespace: 'default', uid: 'uid-1', ...options.config }))
  writeFileSync(journal, '')
  const agentPort = await freePort()
  const main = options.main ?? launcherProgram
  const command = options.command === undefined || options.command.length === 0 ? [] : ['--', ...options.command]
  const node = options.main === undefined ? cachingNode : []
  const [program = '', ...args] = [...(options.prefix ?? []), ...node, main, ...command]
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      MESH_AGENT_CONFIG: config,
      ...(options.signed === true ? {} : { MESH_UNSIGNED: 'true' }),
      MESH_BIND: '127.0.0.1',
      MESH_LAUNCHER_PORT: '0',
      DELEGATE_PORT: '0',
      AGENT_PORT: String(agentPort),
      AGENT_JOURNAL: journal,
      ...(options.parentPipe === true ? { MESH_PARENT_PIPE_FD: '3' } : {}),
      ...options.env,
    },
    stdio: ['ignore', 'inherit', 'pipe', options.parentPipe === true ? 'pipe' : 'ignore'],
  })
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
    folder.remove()
  })
  const lines: Record<string, unknown>[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (text) => {
    lines.push(text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { raw: text })
    for (const wake of waiting) wake()
  })
  const line: LaunchedProcess['line'] = (fits) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.find(fits)
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      void exited.then(() => reject(new Error(`the launcher ended: ${JSON.stringify(lines)}`)))
      look()
    })
  const launched: Omit<LaunchedProcess, 'port' | 'url'> = {
    pid: child.pid ?? 0,
    agentPort,
    lines,
    line,
    exited,
    kill: (signal) => void child.kill(signal),
    notes: () =>
      readFileSync(journal, 'utf8')
        .split('\n')
        .filter((note) => note !== ''),
    closeParentPipe: () => (child.stdio[3] as Writable).end(),
    closeLog: () => child.stderr?.destroy(),
    port2994: async () => Number((await line(({ listener }) => listener === 'delegate')).port),
  }
  if (options.early === true) return { ...launched, port: 0, url: '' }
  const port = Number((await line(({ listener }) => listener === 'invoke')).port)
  if (command.length > 0) await line(({ msg }) => msg === 'agent ready')
  return { ...launched, port, url: `${options.signed === true ? 'https' : 'http'}://127.0.0.1:${port}` }
}

/** Response of a launcher. */
export interface LauncherResponse {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** Posts JSON to a launcher. */
export async function post(
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<LauncherResponse> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
}

/** Reads a run's entries until the stream ends, or until `until` returns true. */
export async function readEvents(
  url: string,
  options: { headers?: Record<string, string>; until?: (entry: LauncherEntry) => boolean } = {},
): Promise<LauncherEntry[]> {
  const stop = new AbortController()
  const response = await fetch(url, { headers: options.headers ?? {}, signal: stop.signal })
  if (response.status !== 200) throw new Error(`events: ${response.status} ${await response.text()}`)
  const entries: LauncherEntry[] = []
  let enough = false
  const parser = createSseParser(({ event, data }) => {
    if (event === 'stream.end') return
    const entry = JSON.parse(data) as LauncherEntry
    entries.push(entry)
    enough ||= options.until?.(entry) === true
  })
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    parser.push(Buffer.from(chunk))
    if (enough) break
  }
  stop.abort()
  return entries
}

/** Whether a process of that id runs. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Polls until `holds` is true, for state without an event. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, ms = 60_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
