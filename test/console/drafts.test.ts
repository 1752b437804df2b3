import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { cannedAgents } from './canned-agents.ts'
import type { CannedRequest } from './canned-answer.ts'
import { openEndingSession } from './canned-session.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const look = { scheme: 'light', width: 'wide' } as const

async function signInAgain(page: Page): Promise<void> {
  await page.locator('#token').fill('a-token')
  await page.keyboard.press('Enter')
  await page.locator('#token').waitFor({ state: 'detached' })
}

test(
  'the session ends while an agent is created: the draft stays, and is created afterwards',
  needsChromium,
  async (t) => {
    const files = await consoleFiles()
    const session = openEndingSession()
    const sent: CannedRequest[] = []
    const config = { name: 'hello', systemPrompt: 'You greet.', model: { route: 'mock' } }
    const url = await serveConsole(t, files, {
      ...cannedAgents,
      '/session': session.handler,
      '/api/recipes': { items: [{ id: 'hello', title: 'Hello', description: '', tags: [], config }], nextCursor: null },
      '/api/agents/check-requirements': { ready: true, requirements: [] },
      '/api/agents': session.guard((request) => {
        if (request.method === 'GET') return { status: 200, body: { items: [], nextCursor: null } }
        sent.push(request)
        return { status: 201, body: { metadata: { namespace: 'demo', name: 'typed' } } }
      }),
    })
    const { page } = await openLook(await startBrowser(t), `${url}/agents/new?from=recipe:hello#code=once`, look)
    const prompt = page.getByRole('textbox', { name: /^System prompt/ })
    await prompt.fill('Typed before the end')
    session.end()
    await page.getByRole('button', { name: 'Create' }).click()
    await signInAgain(page)
    assert.equal(await prompt.inputValue(), 'Typed before the end')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL(/\/agents\/demo\/typed/)
    assert.deepEqual(sent[0]?.body, {
      namespace: 'default',
      config: { ...config, systemPrompt: 'Typed before the end' },
    })
  },
)

test('the session ends in the form of a kind: what was typed stays, also after a reload', needsChromium, async (t) => {
  const files = await consoleFiles()
  const session = openEndingSession()
  const sent: CannedRequest[] = []
  const binding = {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'SecretBinding',
    metadata: { name: 'crm', namespace: 'demo', resourceVersion: '1' },
    spec: { secretRef: { name: 'crm' }, description: 'Access.', env: [{ name: 'CRM_TOKEN', key: 'token' }] },
  }
  const tenant = {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'Tenant',
    metadata: { name: 'support', resourceVersion: '1' },
    spec: { displayName: 'Support <b>', namespaces: ['support'] },
  }
  const capabilities = ['secretbindings', 'tenants'].map((id) => ({ id, enabled: true }))
  const pages = capabilities.map(({ id }) => ({ id, title: id, section: 'Connect', path: `/${id}`, capability: id }))
  const url = await serveConsole(t, files, {
    ...cannedAgents,
    '/session': session.handler,
    '/api/capabilities': { profile: 'open', pages, capabilities },
    '/api/tenants/support': tenant,
    '/api/secretbindings/demo/crm': session.guard((request) => {
      if (request.method === 'GET') return { status: 200, body: binding }
      sent.push(request)
      return { status: 200, body: request.body }
    }),
  })
  const path = `${url}/secretbindings/demo/crm?tab=edit`
  const { page } = await openLook(await startBrowser(t), `${path}#code=once`, look)
  page.on('dialog', (asked) => {
    asked.accept().catch(() => undefined)
  })
  const description = page.getByRole('textbox', { name: /^Description/ })
  await description.fill('Typed before the end')
  session.end()
  await page.getByRole('button', { name: 'Save' }).click()
  await signInAgain(page)
  assert.equal(await description.inputValue(), 'Typed before the end')
  while (!String(await page.evaluate('JSON.stringify(Object.entries(sessionStorage))')).includes('before the end'))
    await page.waitForTimeout(100)
  await page.goto(path)
  await page.getByText('Your draft was restored').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('crm was saved').waitFor()
  assert.match(JSON.stringify(sent[0]?.body), /"description":"Typed before the end"/)
  // A kind whose objects the API does not replace says what does.
  await page.goto(`${url}/tenants/support?tab=edit`)
  await page.getByText('kubectl edit tenant.v1alpha1.mesh.dev support').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
  assert.deepEqual(await axeViolations(page), [])
})
