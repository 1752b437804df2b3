import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Bench, FigureOf } from '../tools/bench.ts'
import { root } from '../tools/platform.ts'
import { interleave } from '../tools/rounds.ts'

const clients = 64
const frames = 3000
const idle = 1000
const many = Number(process.env.BENCH_STREAMS ?? 1000)
const few = 10
const sent = clients * frames

/** One frame to many clients: the platform's event stream beside frames written directly to the socket. */
export const bench: Bench = {
  title: `frames to each of ${clients} clients, microseconds a frame and client; to ${few} and to ${many}; memory of a client of ${idle} (KiB)`,
  measure: () =>
    interleave(
      [
        { name: 'raw socket, pre-framed', run: () => fanOut('raw', clients) },
        { name: 'event stream', run: () => fanOut('stream', clients) },
        ...[few, many].flatMap((count) => [
          { name: `raw socket, ${count} clients`, run: () => fanOut('raw', count) },
          { name: `event stream, ${count} clients`, run: () => fanOut('stream', count) },
        ]),
        { name: `raw socket, ${idle} clients that wait`, run: () => wait('raw') },
        { name: `event stream, ${idle} clients that wait`, run: () => wait('stream') },
      ],
      { rounds: 7, most: 12 },
    ),
  goals: (figureOf) => [
    {
      number: 11,
      text: 'CPU of the raw socket against that of the event stream, ratio',
      value: figureOf('raw socket, pre-framed', 'cpu us') / figureOf('event stream', 'cpu us'),
      limit: 0.85,
      atLeast: true,
      peer: { candidate: 'raw socket, pre-framed', figure: 'cpu us' },
    },
    {
      number: 11,
      text: 'memory of a client that waits, KiB',
      value: figureOf(`event stream, ${idle} clients that wait`, 'KiB'),
      limit: 64,
      peer: { candidate: `raw socket, ${idle} clients that wait`, figure: 'KiB' },
    },
    {
      number: 18,
      text: `CPU a frame and client, ${many} event streams against ${few}, as a multiple of what the raw sockets grow by`,
      value: growth(figureOf, 'event stream') / growth(figureOf, 'raw socket'),
      limit: 1.2,
      peer: { candidate: `event stream, ${many} clients`, figure: 'cpu us' },
    },
  ],
}

// The kernel's cost of a write grows with the number of sockets (caches); the raw sockets show that part.
function growth(figureOf: FigureOf, what: string): number {
  return figureOf(`${what}, ${many} clients`, 'cpu us') / figureOf(`${what}, ${few} clients`, 'cpu us')
}

// The same total of frames for any number of clients.
async function fanOut(mode: 'raw' | 'stream', count: number): Promise<Record<string, number>> {
  const { cpu, us } = await serve(mode, count, Math.ceil(sent / count))
  return { 'cpu us': cpu, us }
}

async function wait(mode: 'raw' | 'stream'): Promise<Record<string, number>> {
  return { KiB: (await serve(mode, idle, 1)).kib }
}

async function serve(
  mode: 'raw' | 'stream',
  count: number,
  each: number,
): Promise<{ readonly kib: number; readonly cpu: number; readonly us: number }> {
  const args = ['--max-semi-space-size=4', join(root, 'bench', 'streams', 'server.ts'), mode, `${count}`, `${each}`]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const { port } = await nextLine<{ port: number }>(lines)
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good-token\r\n\r\n')
    return socket.resume()
  })
  const figures = await nextLine<{ kib: number; cpu: number; us: number }>(lines)
  for (const socket of sockets) socket.destroy()
  server.kill('SIGTERM')
  await once(server, 'exit')
  return figures
}

async function nextLine<T>(lines: AsyncIterator<string>): Promise<T> {
  const { value, done } = await lines.next()
  if (done === true) throw new Error('the server ended')
  return JSON.parse(value) as T
}
