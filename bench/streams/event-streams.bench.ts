import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Bench } from '../tools/bench.ts'
import { root } from '../tools/platform.ts'
import { interleave } from '../tools/rounds.ts'

const clients = 64
const frames = 3000

/** One frame to many clients: the platform's event stream beside frames written straight to the socket. */
export const bench: Bench = {
  title: `${frames} frames to each of ${clients} clients, microseconds a frame and client`,
  measure: () =>
    interleave(
      [
        { name: 'raw socket, pre-framed', run: () => fanOut('raw') },
        { name: 'event stream', run: () => fanOut('stream') },
      ],
      { rounds: 7, most: 12 },
    ),
  goals: (figureOf) => [
    {
      text: 'CPU of the raw socket against that of the event stream, ratio',
      value: figureOf('raw socket, pre-framed', 'cpu us') / figureOf('event stream', 'cpu us'),
      limit: 0.85,
      atLeast: true,
    },
  ],
}

async function fanOut(mode: 'raw' | 'stream'): Promise<Record<string, number>> {
  const args = ['--max-semi-space-size=4', join(root, 'bench', 'streams', 'server.ts'), mode, `${clients}`, `${frames}`]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const { port } = await nextLine<{ port: number }>(lines)
  const sockets = Array.from({ length: clients }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good-token\r\n\r\n')
    return socket.resume()
  })
  const { cpu, us } = await nextLine<{ cpu: number; us: number }>(lines)
  for (const socket of sockets) socket.destroy()
  server.kill('SIGTERM')
  await once(server, 'exit')
  return { 'cpu us': cpu, us: us }
}

async function nextLine<T>(lines: AsyncIterator<string>): Promise<T> {
  const { value, done } = await lines.next()
  if (done === true) throw new Error('the server ended')
  return JSON.parse(String(value)) as T
}
