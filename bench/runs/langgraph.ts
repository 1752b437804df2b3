import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#test/harness/free-port.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startProcess } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { cpuOf } from '../tools/process-figures.ts'
import type { Operation } from './callers.ts'
import type { MeasuredPlatform } from './forms.ts'

/** A virtual environment with `langgraph-cli[inmem]`; without it the peer is omitted. */
export const langgraphFolder = process.env['BENCH_LANGGRAPH']

// One node that calls a model of LangChain that answers immediately.
const graph = `from langchain_core.language_models import FakeListChatModel
from langgraph.graph import END, START, MessagesState, StateGraph

model = FakeListChatModel(responses=["MOCK_OK"])


async def answer(state: MessagesState):
    return {"messages": [await model.ainvoke(state["messages"])]}


builder = StateGraph(MessagesState)
builder.add_node("answer", answer)
builder.add_edge(START, "answer")
builder.add_edge("answer", END)
graph = builder.compile()
`

/** Starts `langgraph dev` with that graph as the assistant `hello`. */
export async function startLanggraph(t: Scope, environment: string): Promise<MeasuredPlatform> {
  const folder = tempFolder('langgraph')
  t.after(folder.remove)
  writeFileSync(join(folder.path, 'graph.py'), graph)
  const config = join(folder.path, 'langgraph.json')
  writeFileSync(
    config,
    JSON.stringify({ dependencies: [folder.path], graphs: { hello: `${join(folder.path, 'graph.py')}:graph` } }),
  )
  const port = await freePort()
  const flags = [
    '--no-browser',
    '--no-reload',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--n-jobs-per-worker',
    '8',
  ]
  const server = startProcess({
    program: join(environment, 'bin', 'langgraph'),
    args: ['dev', '--config', config, ...flags],
    log: join(folder.path, 'langgraph.log'),
    cwd: folder.path, // its state
    env: {
      LANGSMITH_TRACING: 'false',
      LANGGRAPH_CLI_NO_ANALYTICS: '1',
      PATH: `${join(environment, 'bin')}:${process.env['PATH']}`,
    },
  })
  t.after(() => server.end('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; !(await isReady(url)); tries++) {
    if (tries > 300 || !server.running()) throw new Error(`langgraph dev is not ready:\n${server.output()}`)
    await sleep(200)
  }
  return {
    url,
    gatewayUrl: url,
    tokens: {},
    cpu: () => ({ platform: cpuOf(server.pid) }),
    statements: async () => ({}),
    walBytes: async () => undefined,
  }
}

/** A run that waits for its outcome. */
export const waitForLanggraph: Operation = async (pool) => {
  const body = JSON.stringify({ assistant_id: 'hello', input: { messages: [{ role: 'user', content: 'Hi' }] } })
  const headers = { 'content-type': 'application/json' }
  const answer = await pool.request({ method: 'POST', path: '/runs/wait', headers, body })
  const text = await answer.body.text()
  if (answer.statusCode !== 200 || !text.includes('MOCK_OK')) throw new Error(`${answer.statusCode} ${text}`)
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/ok`).catch(() => undefined)
  return answer?.ok === true
}
