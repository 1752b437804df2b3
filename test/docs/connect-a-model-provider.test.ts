import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello from acme.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
}
const models = { object: 'list', data: [{ id: 'gpt-5', object: 'model', created: 1_754_425_777, owned_by: 'acme' }] }
const refusal = { error: { message: 'no' } }

test(
  'the commands of docs/how-to/connect-a-model-provider.md connect, call, rotate and disconnect',
  needs('kubectl'),
  async (t) => {
    const keys: string[] = []
    const server = createServer((request, response) => {
      request.resume()
      const key = String(request.headers.authorization).replace('Bearer ', '')
      keys.push(key)
      const isKnown = key.startsWith('key-of-acme')
      const body = request.method === 'GET' ? models : completion
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isKnown ? body : refusal))
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    t.after(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const shell = createPageShell(t, 'connect-a-model-provider.md', await sharedEmbedded())
    await shell.run(`MODEL_URL=${url} MODEL_KEY=key-of-acme-1 NEW_KEY=key-of-acme-2`)
    const section = async (heading: string): Promise<string> => (await shell.section(heading)).join('\n')
    const connected = await section('Connect')
    assert.match(connected, /^default\tacme\topenai\t/m)
    assert.match(connected, /^gpt-5\tacme\t/m)
    const called = await section('Call a model')
    assert.match(called, /Hello from acme\./)
    assert.match(called, /default\tacme-main\tTrue\tacme:gpt-5\t/)
    const rotated = await section('Rotate the key')
    assert.match(rotated, /^default\tacme\topenai\t[^\n]*\t2\t1\t/m)
    await section('Disconnect')
    assert.ok(!(await shell.run('npx meshctl providers list')).includes('acme'))
    assert.deepEqual([...new Set(keys)], ['key-of-acme-1', 'key-of-acme-2'])
    assert.ok(![connected, called, rotated].join('').includes('key-of-acme'), 'no command prints a key')
  },
)
