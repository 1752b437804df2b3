import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { errors, startFilterGateway } from '../filters/testing/filter-gateway.ts'
import type { ScenarioFilter } from '../filters/testing/filter-gateway.ts'
import { delta, doneFrame, hello } from '../testing/api-gateway.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3 }
const only = `data: ${JSON.stringify({ choices: [], usage })}\n\n`
const filter: ScenarioFilter = {
  name: 'acme.secrets',
  scenario: 'guarded',
  open: () => ({
    text: {
      lookBack: 8,
      check: ({ text }) =>
        text.includes('MAGENTA') ? { refuse: errors.acme_secret, message: 'A secret.' } : undefined,
    },
  }),
}

test(
  'B3: usage is that of the provider, wherever it is in a stream and whatever the client gets of it',
  needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb'),
  async (t) => {
    const gateway = await startFilterGateway(t, [filter])
    const ask = async (body: object, scenario = 'plain'): Promise<string> => {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${gateway.kube.tokens['developer']}`,
        'x-mesh-namespace': gateway.namespaces.a,
        'x-conversation-id': scenario,
      }
      const request = { model: 'up', stream: true, messages: hello, ...body }
      const sent = { method: 'POST', headers, body: JSON.stringify(request) }
      return (await fetch(`${gateway.url}/v1/chat/completions`, sent)).text()
    }
    const wanted = { stream_options: { include_usage: true } }
    const text = delta({ content: 'one of many words '.repeat(2_000) })
    const early = [`: ping\n\n${only}`, text, doneFrame]
    gateway.answer({ pieces: early })
    assert.equal(await ask(wanted), early.join(''), 'bytes as they came')
    assert.equal(await ask({}), `: ping\n\n${text}${doneFrame}`)
    gateway.answer({ pieces: early.map((piece) => piece.replaceAll('\n', '\r\n')) })
    assert.equal(await ask(wanted), early.join('').replaceAll('\n', '\r\n'))
    assert.equal(await ask({}), `: ping\n\n${text}${doneFrame}`)
    gateway.answer({ pieces: [delta({ content: 'Hi' }), only.trimEnd()] })
    assert.equal(await ask({}), delta({ content: 'Hi' }))
    gateway.answer({ pieces: [`${delta({ content: 'MAGENTA' })}${only}${doneFrame}`] })
    assert.match(await ask({}, 'guarded'), /acme_secret/)
    const isAnswered = ({ data }: { readonly data: object }): boolean => 'usageReported' in data
    const rows = await gateway.metered((all) => all.filter(isAnswered).length === 6)
    for (const { data } of rows.filter(isAnswered))
      assert.deepEqual([data.usageReported, data.inputTokens, data.outputTokens, data.streamed], [true, 7, 3, true])
  },
)
