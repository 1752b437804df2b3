import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Scope } from '#test/harness/scope.ts'
import type { ChaosCase } from '../case.ts'
import { until } from '../until.ts'

// 5 MiB in total: a local socket accepts about three before its server lags.
const [frames, bytes] = [160, 32_768]
// Frames in flight to a reading client, half of the permitted lag.
const ahead = 4
const KiB = 1_024
const frameEnd = 0x23
const sendingMs = 300_000

/** Clients of event streams that never read. */
export const chaosCase: ChaosCase = {
  ids: ['X1'],
  title:
    'One in ten clients of event streams never reads: it is cut at its bound, the others get every frame, memory stays bounded',
  counts: { short: 10, usual: 100, full: 500 },
  minutes: 0.5,
  run: async (scope, { short, count }) => {
    const clients = count * 10
    const server = await startServer(scope, clients)
    const before = server.memory()
    const slow = await openAll(scope, server.port, count)
    const healthy = await openAll(scope, server.port, clients - count)
    const reading = countFrames(healthy, server.more)
    const empty = figure(await server.line('empty'), 1)
    const perStream = (figure(await server.line('full'), 1) - empty) / clients / KiB
    const resident = ((server.memory() - before) * KiB) / clients
    const started = performance.now()
    for (let n = 0; n < ahead; n++) server.more()
    let most = 0
    await until(
      'every healthy client has every frame',
      () => {
        most = Math.max(most, server.memory())
        return reading.complete() === frames || reading.cut() > 0
      },
      sendingMs,
    )
    const sent = await server.line('sent')
    const recoveryMs = performance.now() - started
    // A client that does not read does not notice its disconnection, so the server reports the remaining ones.
    const left = figure(sent, 1)
    // Frames are shared by all streams, so the 256 KiB of lagging ones are not subtracted.
    const perHealthy = (figure(sent, 2) - empty) / healthy.length / KiB
    // With few streams the growth of the process itself dominates.
    assert.ok(short || perHealthy <= 64, `${perHealthy} KiB a stream`)
    slow.forEach((socket) => socket.destroy())
    return {
      faults: count,
      lost: reading.short(),
      duplicated: 0,
      unaccounted: left - healthy.length,
      recoveryMs: [recoveryMs],
      notes: [
        `${clients} streams, ${count} never read and were cut; ${frames} frames of ${bytes / KiB} KiB each`,
        `without garbage a stream takes ${perStream.toFixed(0)} KiB open and ${perHealthy.toFixed(0)} KiB at most while sending`,
        `resident it takes ${resident.toFixed(0)} KiB open and ${(((most - before) * KiB) / clients).toFixed(0)} KiB at most while sending`,
      ],
    }
  },
}

interface Server {
  readonly port: number
  /** Resident memory in MiB. */
  memory(): number
  /** The first line with this prefix. */
  line(start: string): Promise<string>
  /** Sends one more frame to every client. */
  more(): void
}

async function startServer(scope: Scope, clients: number): Promise<Server> {
  const program = fileURLToPath(import.meta.resolve('../actors/stream-server.ts'))
  const args = ['--expose-gc', program, String(clients), String(frames), String(bytes)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  scope.after(() => child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (text) => void lines.push(text))
  const line = (start: string): Promise<string> =>
    until(`${start} of the server`, () => lines.find((text) => text.startsWith(start)), sendingMs)
  const port = Number(await line(''))
  return {
    port,
    memory: () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / KiB,
    line,
    more: () => void child.stdin.write('.'),
  }
}

function figure(line: string, at: number): number {
  return Number(line.split(' ')[at])
}

// Sockets of `net` do not read without a data listener.
function open(scope: Scope, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  scope.after(() => socket.destroy())
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.write('GET /api/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer good-token\r\n\r\n')
      resolve(socket)
    })
  })
}

// In groups, since a server accepts some hundred connections at a time.
async function openAll(scope: Scope, port: number, many: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < many) {
    const group = Math.min(200, many - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: group }, () => open(scope, port)))))
  }
  return sockets
}

interface Reading {
  /** Frames received by every client. */
  complete(): number
  /** Clients that were disconnected. */
  cut(): number
  /** Clients that lack some frame. */
  short(): number
}

// Clients pace the server: a loaded machine that reads late must not look like a client that does not read.
function countFrames(sockets: readonly Socket[], more: () => void): Reading {
  const found = sockets.map(() => 0)
  const having = Array.from({ length: frames + 1 }, () => 0)
  let [complete, cut] = [0, 0]
  for (const [client, socket] of sockets.entries()) {
    socket.once('close', () => cut++)
    socket.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(frameEnd); at !== -1; at = chunk.indexOf(frameEnd, at + 1)) {
        const frame = (found[client] ?? 0) + 1
        found[client] = frame
        const clients = (having[frame] ?? 0) + 1
        having[frame] = clients
        if (clients < sockets.length) continue
        complete = frame
        more()
      }
    })
  }
  return { complete: () => complete, cut: () => cut, short: () => found.filter((one) => one !== frames).length }
}
