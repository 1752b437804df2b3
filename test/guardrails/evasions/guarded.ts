import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { callApis, translateRequest } from '#plugins/providers/launcher/call-api.ts'
import { completes, startProxied } from '#launcher/testdata/proxied-launcher.ts'
import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import type { Path, Place } from './places.ts'
import { streamRequest, streams } from './streams.ts'

/** A launcher in front of a gateway, with the rules of the corpus. */
export async function startGuarded(t: TestContext, rules: readonly GuardrailRule[]) {
  const proxied = await startProxied(t, { config: { plugins: { guardrails: { enabled: true } } } })
  const policies = [{ namespace: 'default', name: 'p', uid: 'u', generation: 1, rules }]
  proxied.money.faults.push((request, response) => {
    if (request.path !== '/guardrails') return false
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ digest: 'd', policies }))
    return true
  })
  const post = async (path: Path, body: string): Promise<string> => {
    const response = await fetch(proxied.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return text
  }
  return {
    /** The document as the gateway gets it. */
    async sent(path: Path, document: string): Promise<string> {
      proxied.gateway.reply = completes()
      await post(path, document)
      return proxied.gateway.requests.at(-1)?.text ?? ''
    },
    /** The stream as the agent gets it. */
    async streamed(path: Path, deltas: readonly object[]): Promise<string> {
      proxied.gateway.reply = streams(deltas)
      return post(path, streamRequest(path))
    },
  }
}

/** What is sent on when no rule finds anything: numbers in forms that JavaScript would not write are in it. */
export function documentOf(place: Place, text: string): { readonly document: string; readonly expected: string } {
  const numbers = '"top_p": 1.0 , "metadata2":{"id":9007199254740993}'
  const plain = JSON.stringify(place.body(text))
  const isEmbedding = place.path === '/v1/embeddings'
  if (place.path !== '/v1/responses') {
    const document = isEmbedding ? plain : `{${numbers},${plain.slice(1)}`
    return { document, expected: document }
  }
  const { bytes } = translateRequest(
    callApis.responses.translation,
    place.body(text) as Readonly<Record<string, unknown>>,
  )
  return { document: plain, expected: bytes.toString('utf8') }
}
