import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { ApiProblem } from '#ui/api/api-problem.ts'
import type { ProblemFacts } from '#ui/api/api-problem.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { defaultAddresses, faultOfKey, toConnectBody } from '../../plugins/providers/console/providers/connect-body.ts'
import { refusalsOf, routesIn } from '../../plugins/providers/console/providers/refusals.ts'
import { curvesOf, toRoutePlan, shareInWords } from '../../plugins/providers/console/routes/route-plan.ts'
import { rulesOf } from '../../plugins/providers/console/routes/route-rules.ts'
import { baseUrlOf } from '../../plugins/providers/upstream/base-url.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedAnswer, CannedRequest } from './canned-answer.ts'
import { cannedConnect, cannedProvider, plainRoute, sharedRoute } from './canned-providers.ts'
import { checkLooks } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const document = JSON.parse(
  readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
) as object
const wide = { scheme: 'light', width: 'wide' } as const
const KEY = 'sk-canary-0123456789'
const problem = (more: Partial<ProblemFacts>): ApiProblem =>
  new ApiProblem({ status: 422, title: 'Refused.', detail: 'No.', ...more })

test('the body has what was typed and what its type has; a key is checked before it is sent', () => {
  const typed = {
    namespace: ' demo ',
    name: ' a ',
    type: 'openai',
    baseUrl: ' https://a/v1// ',
    organization: ' o ',
    apiVersion: 'preview',
  } as const
  assert.deepEqual(toConnectBody(typed, KEY), {
    namespace: 'demo',
    name: 'a',
    type: 'openai',
    baseUrl: 'https://a/v1',
    organization: 'o',
    azure: { apiVersion: 'preview' },
    apiKey: KEY,
  })
  assert.deepEqual(toConnectBody({ ...typed, type: 'mock' }, KEY), { namespace: 'demo', name: 'a', type: 'mock' })
  assert.equal('organization' in toConnectBody({ ...typed, type: 'anthropic' }, ''), false)
  const own = { type: 'openai', baseUrl: 'http://a' } as const
  const faults = [KEY, '', `${KEY} `, `${KEY}\n`, 'ключ'].map((key) => faultOfKey(key, own))
  assert.deepEqual(faults, [undefined, undefined, 'wrong', 'wrong', 'wrong'])
  assert.equal(faultOfKey('', { ...own, baseUrl: ' ' }), 'required')
  assert.equal(faultOfKey('', { type: 'mock', baseUrl: '' }), undefined)
  // The gateway has the same addresses.
  for (const type of ['openai', 'anthropic'] as const) assert.equal(defaultAddresses[type], baseUrlOf({ type }))
})

test('a refusal stands at its field, in the words of the page', () => {
  const of = (more: Partial<ProblemFacts>) => refusalsOf(problem(more))
  assert.match(of({ code: 'provider_rejected_key' }).fields.apiKey ?? '', /does not accept this key\. No\.$/)
  assert.match(of({ code: 'provider_unreachable' }).fields.baseUrl ?? '', /Nothing can be reached there/)
  assert.match(of({ code: 'provider_answered_badly' }).fields.baseUrl ?? '', /does not answer as this type requires/)
  assert.match(of({ code: 'already_exists' }).fields.name ?? '', /has a provider with this name/)
  const errors = [
    { pointer: '/apiKey', detail: 'a' },
    { pointer: 'spec.azure.apiVersion', detail: 'b' },
  ]
  assert.deepEqual(of({ errors }), { fields: { apiKey: 'a', apiVersion: 'b' }, rest: null })
  const other = of({ errors: [...errors, { pointer: '/__proto__', detail: 'c' }] })
  assert.deepEqual([other.fields.apiKey, other.rest instanceof ApiProblem], ['a', true])
  assert.deepEqual(refusalsOf(new Error('x')).rest?.message, 'x')
  assert.deepEqual(refusalsOf(null), { fields: {}, rest: null })
  const inUse = problem({ code: 'provider_in_use', detail: 'Called by demo/a, team-b/c.d and 3 more.' })
  assert.deepEqual(routesIn(inUse), ['demo/a', 'team-b/c.d'])
  assert.deepEqual(routesIn(problem({ detail: 'demo/a' })), [])
})

test('a route is planned by its weights, or has one provider; the worst circuit counts', () => {
  const shared = toRoutePlan(sharedRoute)
  assert.deepEqual(
    shared.targets.map(({ share, circuit, namespace, lastErrorClass }) => [
      shareInWords(share),
      circuit,
      namespace,
      lastErrorClass,
    ]),
    [
      ['70 %', 'closed', 'demo', undefined],
      ['30 %', 'open', 'shared', 'timeout'],
      ['<1 %', 'unknown', 'demo', undefined],
    ],
  )
  assert.deepEqual(shared.targets[1]?.gateways, { all: 2, open: 1 })
  assert.deepEqual(
    shared.fallbacks.map(({ provider }) => provider),
    ['anthropic', 'mock'],
  )
  const plain = toRoutePlan(plainRoute)
  assert.deepEqual([plain.targets.length, plain.targets[0]?.share, plain.fallbacks], [1, 1, []])
  for (const spec of [undefined, null, {}, { targets: 'x', fallbacks: 5 }, { targets: [{}], fallbacks: [{}] }])
    assert.ok(toRoutePlan({ metadata: { name: 'a' }, spec }).targets.length <= 1)
  const noWeight = { targets: [{ weight: 0 }, { weight: Number.NaN }, { weight: 'x' }] }
  const shares = toRoutePlan({ metadata: { name: 'a' }, spec: noWeight }).targets.map(({ share }) => share)
  assert.deepEqual(shares, [0, 0, 0])
  assert.deepEqual(
    curvesOf(shared.targets, 10).map(({ from, to }) => [from, to]),
    [
      [15, 5],
      [15, 15],
      [15, 25],
    ],
  )
  assert.deepEqual(rulesOf(sharedRoute.spec), [
    ['Retry on', '429, 5xx'],
    ['Circuit opens after', '3 failures in a row, for 30s'],
  ])
  assert.deepEqual(rulesOf(undefined), [])
})

/** An API that keeps what was connected, and refuses the first key. */
function connecting(sent: CannedRequest[]) {
  const made = cannedProvider({ name: 'acme', routes: [], keyVersion: 1 })
  let items: readonly unknown[] = []
  return {
    ...cannedConnect,
    '/api/providers': answering((request): CannedAnswer => {
      if (request.method === 'GET') return { status: 200, body: { items, nextCursor: null } }
      sent.push(request)
      const { apiKey } = request.body as { readonly apiKey?: string }
      const facts = { title: 'No.', detail: 'The provider responded with 401.', code: 'provider_rejected_key' }
      if (apiKey === 'sk-wrong') return { status: 422, body: facts }
      if (request.query.get('dryRun') !== 'All') items = [made]
      return { status: 201, body: made }
    }),
    '/api/providers/acme/models': { items: [{ id: 'large' }], fetchedAt: new Date().toISOString(), cached: false },
    '/api/providers/acme': answering((request) => {
      sent.push(request)
      const detail = 'Called by demo/hidden.'
      return { status: 409, body: { title: 'In use.', detail, code: 'provider_in_use' } }
    }),
  }
}

test(
  'a provider is connected: a refused key at its field, each step, its models; routes refuse its end',
  needsChromium,
  async (t) => {
    const sent: CannedRequest[] = []
    const url = await serveConsole(t, await packed, connecting(sent))
    const browser = await startBrowser(t)
    const { page, problems } = await openLook(browser, `${url}/providers`, wide)
    // A section of the navigation has the same name.
    await page.getByRole('main').getByRole('button', { name: 'Connect' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('acme')
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await dialog.getByText('The address of this type needs a key.').waitFor()
    assert.equal(sent.length, 0)
    await dialog.getByLabel('Key', { exact: true }).fill('sk-wrong')
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await dialog.getByText('The provider does not accept this key. The provider responded with 401.').waitFor()
    assert.deepEqual(await axeViolations(page), [])
    await dialog.getByLabel('Key', { exact: true }).fill(KEY)
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('acme is connected').waitFor()
    await page.getByRole('complementary').getByText('large').waitFor()
    assert.deepEqual(
      sent.map(({ query, body }) => [query.get('dryRun'), (body as { readonly validate: boolean }).validate]),
      [
        ['All', true],
        ['All', true],
        [null, false],
      ],
    )
    assert.equal(await page.evaluate<boolean>(`document.documentElement.outerHTML.includes('${KEY}')`), false)
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await dialog.getByRole('textbox').fill('acme')
    await dialog.getByRole('button', { name: 'Disconnect' }).click()
    await dialog.getByRole('link', { name: 'demo/hidden' }).waitFor()
    assert.deepEqual(
      problems.filter((one) => !/422|409/.test(one)),
      [],
    )
  },
)

test(
  'providers and routes in both themes and widths: no violation, no sideways scroll, hostile names',
  needsChromium,
  async (t) => {
    const url = await serveConsole(t, await packed, { ...cannedConnect, '/openapi.json': document })
    const browser = await startBrowser(t)
    await checkLooks(browser, url, [
      ['/providers', 'tbody tr'],
      ['/providers?item=demo%2Fopenai', 'main aside li'],
      ['/providers?item=demo%2Fgone', 'main aside'],
      ['/modelroutes', 'tbody tr'],
      ['/modelroutes/demo/default', 'text=One provider serves every call.'],
      ['/modelroutes/demo/balanced', 'text=open at 1 of 2 gateways'],
      ['/modelroutes/new', '[role="form"]'],
    ])
  },
)

test('who may not list providers, and an installation without any', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const denied = {
    title: 'No.',
    detail: 'No.',
    cluster: { message: 'cannot list resource "modelproviders" in API group "mesh.dev"' },
  }
  const refused = await serveConsole(t, await packed, {
    ...cannedConnect,
    '/api/providers': answering(() => ({ status: 403, body: denied })),
  })
  const { page } = await openLook(browser, `${refused}/providers`, wide)
  await page.getByText('You may not list modelproviders').waitFor()
  const hardened = await serveConsole(t, await packed, {
    ...cannedConnect,
    '/api/capabilities': { profile: 'hardened', pages: [], capabilities: [] },
  })
  await page.goto(`${hardened}/providers`)
  await page.getByText('This page does not exist').first().waitFor()
})
