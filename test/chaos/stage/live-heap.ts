import { until } from '../until.ts'

/** Memory in use (heap and external) after a garbage collection, in MiB. Opens the inspector of the process by SIGUSR1. */
export async function liveHeapOf(pid: number, inspectPort: number): Promise<number> {
  process.kill(pid, 'SIGUSR1')
  const url = await until('the inspector listens', () => debuggerUrl(inspectPort))
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  try {
    await call(socket, 'HeapProfiler.collectGarbage')
    const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())'
    const { result } = await call(socket, 'Runtime.evaluate', { expression })
    return Number(result?.value) / 2 ** 20
  } finally {
    socket.close()
  }
}

async function debuggerUrl(port: number): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/json`).catch(() => undefined)
  const [target] = answer === undefined ? [] : ((await answer.json()) as { webSocketDebuggerUrl?: string }[])
  return target?.webSocketDebuggerUrl
}

interface Answer {
  readonly result?: { readonly value?: unknown }
}

// One call at a time on its own connection: the next message is the response.
async function call(socket: WebSocket, method: string, params: object = {}): Promise<Answer> {
  const answered = new Promise<MessageEvent>((resolve, reject) => {
    socket.addEventListener('message', resolve, { once: true })
    socket.addEventListener('close', () => reject(new Error('the inspector hung up')), { once: true })
  })
  socket.send(JSON.stringify({ id: 1, method, params }))
  const { result } = JSON.parse(String((await answered).data)) as { result?: Answer }
  return result ?? {}
}
