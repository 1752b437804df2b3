import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { callApis, translateRequest } from '#launcher/listeners/model-proxy/call-api.ts'
import { startProxied } from '#launcher/testdata/proxied-launcher.ts'
import { cases, innocent, knownMisses, rules } from './cases.ts'
import { places } from './places.ts'
import type { Path, Place } from './places.ts'

/** The number of disguises that are not found when this list was written: it may only become smaller. */
const MOST_KNOWN_MISSES = 8

async function startGuarded(t: TestContext) {
  const proxied = await startProxied(t, { config: { plugins: { guardrails: { enabled: true } } } })
  const policies = [{ namespace: 'default', name: 'p', uid: 'u', generation: 1, rules }]
  proxied.money.faults.push((request, response) => {
    if (request.path !== '/guardrails') return false
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ digest: 'd', policies }))
    return true
  })
  /** The document as the gateway gets it. */
  const sent = async (path: Path, document: string): Promise<string> => {
    const response = await fetch(proxied.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: document,
    })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return proxied.gateway.requests.at(-1)?.text ?? ''
  }
  return { sent, proxied }
}

/** What is sent on when no rule finds anything: numbers in forms that JavaScript would not write are in it. */
function documentOf(place: Place, text: string): { readonly document: string; readonly expected: string } {
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

test('R2-N6: each evasion of the corpus is masked, and its innocent twin passes byte for byte', async (t) => {
  const { sent } = await startGuarded(t)
  const [negatives, positives, known]: string[][] = [[], [], []]
  for (const one of cases) {
    const evil = documentOf(one.place, one.evil)
    const isFound = (await sent(one.place.path, evil.document)) !== evil.expected
    if (!isFound) (one.knownMiss === undefined ? negatives : known)?.push(one.knownMiss ?? one.name)
    const twin = documentOf(one.place, one.twin)
    if ((await sent(one.place.path, twin.document)) !== twin.expected) positives?.push(one.name)
  }
  const figures = `${cases.length} evasions: ${negatives?.length} not found, ${known?.length} known not to be; ${positives?.length} twins changed`
  t.diagnostic(figures)
  assert.ok(cases.length >= 400)
  assert.deepEqual({ negatives, positives }, { negatives: [], positives: [] }, figures)
  const found = knownMisses.filter(({ disguise }) => known?.includes(disguise) !== true)
  assert.deepEqual(found, [], 'remove what is found from the known misses')
  assert.ok(knownMisses.length <= MOST_KNOWN_MISSES)
})

test('R2-N6: innocent texts pass in every place byte for byte', async (t) => {
  const { sent } = await startGuarded(t)
  const changed: string[] = []
  let count = 0
  for (const [nth, text] of innocent.entries())
    for (const place of places.filter((_, index) => (index + nth) % 3 === 0)) {
      const { document, expected } = documentOf(place, text)
      count++
      if ((await sent(place.path, document)) !== expected) changed.push(`${place.name}: ${text}`)
    }
  t.diagnostic(`${count} innocent requests: ${changed.length} changed`)
  assert.deepEqual(changed, [])
})
