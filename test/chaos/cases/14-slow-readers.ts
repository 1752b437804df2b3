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

const [frames, bytes] = [640, 8_192]
const KiB = 1_024
// 1,000 streams take 90 s at the rate of the server.
const sendingMs = 300_000

/** Clients of event streams that never read. */
export const chaosCase: ChaosCase = {
  ids: ['X1'],
  title:
    'One in ten clients of event streams never reads: it is cut at its bound, the others get every frame, memory stays bounded',
  counts: { short: 10, usual: 100, full: 500 },
  minutes: 2,
  run: async (scope, { short, count }) => {
    const clients = count * 10
    const server = await startServer(scope, clients)
    const before = server.memory()
    const slow = await Promise.all(Array.from({ length: count }, () => open(scope, server.port)))
    const healthy = await Promise.all(Array.from({ length: clients - count }, () => open(scope, server.port)))
    const read = healthy.map(countFrames)
    const empty = figure(await server.line('empty'), 1)
    const perStream = (figure(await server.line('full'), 1) - empty) / clients / KiB
    const resident = ((server.memory() - before) * KiB) / clients
    const started = performance.now()
    server.go()
    let most = 0
    const sent = server.line('sent')
    await until(
      'every healthy client has every frame',
      () => {
        most = Math.max(most, server.memory())
        return read.every((found) => found() >= frames)
      },
      sendingMs,
    )
    await sent
    const recoveryMs = performance.now() - started
    // A client that does not read does not hear that it was cut either: the server says who is left.
    const left = figure(await sent, 1)
    // Frames are shared by all streams, so nothing is taken off for those that hold 256 KiB of them.
    const perHealthy = (figure(await sent, 2) - empty) / healthy.length / KiB
    // With few streams what a process grows by on its own is most of it.
    assert.ok(short || perHealthy <= 64, `${perHealthy} KiB a stream`)
    slow.forEach((socket) => socket.destroy())
    return {
      faults: count,
      lost: read.filter((found) => found() !== frames).length,
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
  /** Resident MiB. */
  memory(): number
  /** The first line that begins so. */
  line(start: string): Promise<string>
  go(): void
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
    go: () => void child.stdin.write('go\n'),
  }
}

function figure(line: string, at: number): number {
  return Number(line.split(' ')[at])
}

// Sockets of net do not read before somebody listens for data.
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

function countFrames(socket: Socket): () => number {
  let found = 0
  let rest = ''
  socket.on('data', (chunk) => {
    const text = rest + chunk.toString('latin1')
    found += text.split('event: message.delta').length - 1
    // A marker of 20 characters may be cut in two.
    rest = text.slice(-19)
  })
  return () => found
}
