import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import {
  authorizationAddress,
  consolePath,
  serverPath,
  toConsentResult,
  wordsOfConsent,
} from '../../plugins/mcp/console/grants/grant-paths.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedRequest } from './canned-answer.ts'
import { cannedMcp, consentedGrants, consentServer } from './canned-mcp.ts'
import { checkLooks } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const wide = { scheme: 'light', width: 'wide' } as const

test('a consent returns to a path of this console, and leaves for a web address only', () => {
  assert.equal(consolePath('/runs/a?view=b'), '/runs/a?view=b')
  for (const other of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:1',
    '',
    null,
    undefined,
  ])
    assert.equal(consolePath(other), undefined, String(other))
  assert.equal(serverPath('demo', 'a/../b'), '/mcpservers/demo/a%2F..%2Fb')
  assert.equal(authorizationAddress('https://auth.example/authorize?a=b'), 'https://auth.example/authorize?a=b')
  for (const other of ['javascript:alert(1)', 'data:text/html,x', '/authorize', '', undefined])
    assert.equal(authorizationAddress(other), undefined, String(other))
})

test('of a return only the parameters of OAuth are sent', () => {
  assert.deepEqual(toConsentResult({ state: 's', code: 'c', iss: 'i', namespace: 'demo' }), {
    state: 's',
    code: 'c',
    iss: 'i',
  })
  assert.deepEqual(toConsentResult({ state: 's', error: 'access_denied' }), { state: 's', error: 'access_denied' })
  for (const none of [{}, { state: '' }, { code: 'c' }]) assert.equal(toConsentResult(none), undefined)
  const words = (code: string) =>
    wordsOfConsent(new ApiProblem({ status: 409, title: 'No.', detail: 'The API.', code }))
  assert.match(words('consent_invalid'), /belongs to no open consent/)
  for (const code of ['toString', 'x', '']) assert.equal(words(code), 'The API.')
})

test('consents in each look: no violation, no sideways scroll', needsChromium, async (t) => {
  const url = await serveConsole(t, await packed, cannedMcp)
  const browser = await startBrowser(t)
  const paths = [
    ['/mcpgrants', 'tbody tr'],
    ['/consent/demo/tickets?run=run-1', 'text=Continue to the authorization server'],
    ['/oauth/callback', 'text=Nothing was granted'],
    ['/mcpservers/demo/tickets', 'text=Grant access again'],
  ] as const
  await checkLooks(browser, url, paths)
})

test(
  'a consent leaves for its server, returns without the code in the address, and is revoked',
  needsChromium,
  async (t) => {
    const sent: CannedRequest[] = []
    let isDenied = true
    let grants: readonly object[] = []
    let url = ''
    const begun = { expiresAt: '2026-11-24T08:10:00Z' }
    url = await serveConsole(t, await packed, {
      ...cannedMcp,
      '/api/mcp/oauth/grants': answering(() => ({ status: 200, body: { items: grants, nextCursor: null } })),
      '/api/mcp/oauth/grant': answering((request) => {
        sent.push(request)
        const back = `${url}/oauth/callback?state=s1&code=canary-code&iss=https%3A%2F%2Fauth.example`
        return { status: 201, body: { ...begun, authorizationUrl: back } }
      }),
      '/api/mcp/oauth/grant/tickets': answering((request) => {
        sent.push(request)
        grants = []
        return { status: 204, body: undefined }
      }),
      '/api/mcp/oauth/complete': answering((request) => {
        sent.push(request)
        if (isDenied) return { status: 422, body: { title: 'No.', detail: 'x', code: 'consent_denied', status: 422 } }
        grants = consentedGrants
        return { status: 200, body: { ...consentedGrants[0], returnTo: '/mcpservers/demo/tickets' } }
      }),
      '/api/mcpservers/demo/tickets': consentServer,
    })
    const browser = await startBrowser(t)
    const { page } = await openLook(browser, `${url}/mcpservers/demo/tickets`, wide)
    await page.getByRole('button', { name: 'Grant access' }).click()
    await page.getByText('Access was not granted').waitFor()
    assert.equal(page.url(), `${url}/oauth/callback`)
    assert.deepEqual(await axeViolations(page), [])
    assert.deepEqual(
      sent.map(({ body }) => body),
      [
        { namespace: 'demo', server: 'tickets', returnTo: '/mcpservers/demo/tickets' },
        { state: 's1', code: 'canary-code', iss: 'https://auth.example' },
      ],
    )
    isDenied = false
    await page.goto(`${url}/mcpservers/demo/tickets`)
    await page.getByRole('button', { name: 'Grant access' }).click()
    await page.getByRole('button', { name: 'Revoke' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/mcpservers/demo/tickets')
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('You have not granted access.', { exact: false }).waitFor()
    const { method, query } = sent.at(-1) ?? {}
    assert.deepEqual([method, query?.get('namespace')], ['DELETE', 'demo'])
  },
)
