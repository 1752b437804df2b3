import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { listen } from '#test/harness/listen.ts'
import { startDevCommand } from './testing/run-dev-command.ts'

const agentFile = (prompt: string, more = ''): string =>
  `name: bot\nmodel: {route: mock}\nsystemPrompt: ${prompt}\n${more}`

interface Invoked {
  readonly runId: string
  readonly state: string
  readonly output: unknown
}

test('dev runs the agent of a file, prints traces, reloads edits, refuses other origins and bad input, and leaves nothing', async (t) => {
  const dev = startDevCommand(t, { 'agent.yaml': agentFile('Be brief.') })
  const response = await dev.invoke({ input: 'Hi' })
  const run = (await response.json()) as Invoked
  assert.deepEqual([response.status, run.state, run.output], [200, 'succeeded', 'MOCK_OK'])
  await dev.says(new RegExp(`succeeded  \\d.*  \\d+\\+\\d+ tokens  \\S+ USD  ${run.runId}\\n└─ step 1 .*\\n`))
  await dev.says(/model mock {2}\d+ ms {2}\d+\+\d+ tokens[^]*→ MOCK_OK\n/)

  dev.write('agent.yaml', `${agentFile('Be brief.')}modle: x\n`)
  await dev.says(
    /^agent\.yaml:4:1: \/modle: unknown field "modle"; did you mean model\?\n.*\nThe last valid agent serves\.\n/m,
  )
  assert.equal((await dev.invoke({ input: 'still' })).status, 200)

  dev.write('agent.yaml', agentFile('Be verbose.'))
  assert.match(await dev.says(/reloaded in (\d+) ms/), /^\d+$/)
  const again = (await (await dev.invoke({ input: 'Hi' })).json()) as { agent: { revision: number } }
  assert.equal(again.agent.revision, 2)

  const url = await dev.says(/POST (http:\S+)/)
  const json = { 'content-type': 'application/json' }
  const post = (body: string, headers: Record<string, string> = json) => fetch(url, { method: 'POST', headers, body })
  for (const [status, refused] of [
    [403, await post('{}', { ...json, origin: 'https://evil.example' })],
    [403, await post('{}', { ...json, 'sec-fetch-site': 'cross-site' })],
    [415, await post('input=Hi', { 'content-type': 'application/x-www-form-urlencoded' })],
    [400, await post('{')],
    [400, await post('[]')],
    [400, await post('{"input":"Hi","agent":{"namespace":"kube-system","name":"x"}}')],
    [413, await post(`"${'x'.repeat(5_000_000)}"`)],
    [405, await fetch(url)],
    [404, await fetch(url.replace('/invoke', '/api/agents'))],
    [400, await post('{"input":"Hi","conversationId":"\\u0000"}')],
  ] as const) {
    assert.equal(refused.status, status, await refused.text())
  }
  assert.ok((await post('{"input":"a\\u0000\\ud800b"}')).status < 500)
  const { port } = new URL(url)
  assert.equal(await dev.stop('SIGINT'), 130)
  assert.deepEqual(readdirSync(dev.temporary), [])
  await assert.rejects(connected(Number(port)))
})

test('a real provider gets the key, which is never printed; hostile responses are harmless; a closed pipe ends it', async (t) => {
  const asked: string[] = []
  const hostile = '\u001b[31mred\u001b]0;title\u0007\u202e'
  const provider = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`)
    request.resume()
    const message = { role: 'assistant', content: hostile }
    const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }))
  })
  const base = await listen(t, provider)
  const args = ['--provider', 'real', '--model', 'm-1', '--base-url', `${base}/v1`, '--key-env', 'MY_KEY']
  const files = { 'agent.yaml': agentFile('Be brief.').replace('mock', 'anything') }
  const dev = startDevCommand(t, files, args, { MY_KEY: 'sk-5ecret-0123456789' })
  const run = (await (await dev.invoke({ input: 'Hi' })).json()) as Invoked
  assert.equal(run.output, hostile)
  await dev.says(/→ \\u001b\[31mred/)
  assert.deepEqual(asked, ['/v1/chat/completions Bearer sk-5ecret-0123456789'])
  const said = `${dev.out()}${dev.err()}`
  assert.doesNotMatch(said, /5ecret/)
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(said, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  dev.child.stdout?.destroy()
  await dev.invoke({ input: 'Hi' }).catch(() => undefined)
  for (let tries = 0; dev.child.exitCode === null && tries < 200; tries++) await pause(50)
  assert.deepEqual([dev.child.exitCode, readdirSync(dev.temporary)], [0, []])
})

test('a signal during the start leaves nothing', async (t) => {
  const dev = startDevCommand(t, { 'agent.yaml': agentFile('Be brief.') })
  for (let tries = 0; readdirSync(dev.temporary).length === 0 && tries < 600; tries++) await pause(50)
  assert.equal(await dev.stop(), 130)
  assert.deepEqual(readdirSync(dev.temporary), [])
})

function connected(port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect(port, '127.0.0.1', resolve)
  socket.once('error', reject)
  return promise.finally(() => socket.destroy())
}
