import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { serveEventStreams } from '#core/http/testing/serve-event-streams.ts'
import { encodeFrame } from '#core/sse/frame.ts'

// `node server.ts raw|stream CLIENTS FRAMES`: once that many clients are connected, each receives the frames. Prints their cost, and the
// memory per client before.
const [mode = '', clients = '1', frames = '1'] = process.argv.slice(2)
const data = JSON.stringify({ runId: 'run-1', type: 'message.delta', data: { text: 'word '.repeat(40) } })
type Send = (frame: Buffer) => Promise<void> | void

const receivers: Send[] = []
const port = mode === 'raw' ? await listenRaw() : await serveEventStreams(({ send }) => entered(send))
const memory = process.memoryUsage.rss()
process.stdout.write(`${JSON.stringify({ port })}\n`)

function entered(send: Send): void {
  if (receivers.push(send) === Number(clients)) void sendAll()
}

async function sendAll(): Promise<void> {
  const kib = (process.memoryUsage.rss() - memory) / 1024 / Number(clients)
  const [cpu, from] = [process.cpuUsage(), performance.now()]
  for (let id = 0; id < Number(frames); id++) {
    const event = encodeFrame({ id: String(id), event: 'message.delta', data })
    const frame = mode === 'raw' ? chunked(event) : event
    await Promise.all(receivers.map((send) => send(frame)))
    // One turn of the event loop per frame, as events of a run arrive; a burst would measure how well writes are merged.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { user, system } = process.cpuUsage(cpu)
  const sent = Number(clients) * Number(frames)
  process.stdout.write(
    `${JSON.stringify({ kib, cpu: (user + system) / sent, us: ((performance.now() - from) * 1000) / sent })}\n`,
  )
}

function chunked(event: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${event.length.toString(16)}\r\n`), event, Buffer.from('\r\n')])
}

async function listenRaw(): Promise<number> {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
  const server = createServer({ noDelay: true }, (socket: Socket) => {
    socket.once('data', () => {
      socket.write(head)
      entered((frame) => {
        if (!socket.write(frame)) return new Promise((resolve) => socket.once('drain', resolve))
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
