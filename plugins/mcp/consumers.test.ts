import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { signInAtIssuer } from '#core/http/sessions/oidc/testing/start-issuer.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { GivenConsent, RunsApi, RunsSystem } from '#plugins/runs/contract/api.ts'
import { toConsentKey } from '#schemas/names/consent-key.ts'
import { mcpConsumers } from './consumers.ts'
import type { McpTables } from './contract/tables.ts'
import { startAuthorizationServer } from './testing/authorization-server.ts'
import { openGrants } from './testing/grants-world.ts'
import { startProtectedServer } from './testing/protected-server.ts'

const key = toConsentKey('default', 'tickets')
const interruptPrefix = `aut_${key}_`

async function setUp(t: TestContext) {
  const at = await startAuthorizationServer(t)
  const server = await startProtectedServer(t, at)
  const world = await openGrants(t)
  world.addServer('tickets', { url: server.url, auth: { kind: 'oauth' } })
  const resumed: GivenConsent[] = []
  const resumeConsentedIn: RunsApi['resumeConsentedIn'] = async (_, consent) => {
    resumed.push(consent)
    return []
  }
  const subjects: Readonly<Record<string, string>> = { 'run-1': 'ada', 'run-2': 'bob' }
  const subjectOf = async (id: string) => (subjects[id] === undefined ? undefined : { subject: subjects[id] })
  const consumers = mcpConsumers(
    { runs: { resumeConsentedIn } } as never,
    {
      system: () => ({ subjectOf }) as unknown as RunsSystem,
    } as never,
  )
  const { store } = world.services
  const handle = async (name: string, events: readonly object[]): Promise<readonly GivenConsent[]> => {
    const found = consumers.find((one) => one.name === name)
    assert.ok(found, name)
    await store.transact((tx) => found.handle(events as readonly StoredEvent[], tx))
    return resumed.splice(0)
  }
  const consent = async (): Promise<void> => {
    const begun = await world.ask('POST', '/grant', { server: 'tickets' })
    const callback = await signInAtIssuer(String(begun.body['authorizationUrl']))
    assert.equal((await world.ask('POST', '/complete', Object.fromEntries(callback.searchParams))).status, 200)
  }
  const pauses = (runId: string, ...ids: readonly string[]) =>
    handle('mcp.pauses', [{ data: { runId, interrupts: ids.map((id) => ({ id, reason: 'auth_required' })) } }])
  return { ...world, at, handle, consent, pauses }
}

test('a grant resumes the runs of its subject that wait for its server', async (t) => {
  const { handle, consent, rows, services } = await setUp(t)
  await consent()
  const [{ id = '' } = {}] = await rows()
  const events = await services.store.readStream(`mcp/${id}`)
  assert.deepEqual(await handle('mcp.resume-consented', events), [{ subject: 'ada', interruptPrefix }])
})

test('a run that needs further scopes waits for the consent to them', async (t) => {
  const { consent, pauses, services } = await setUp(t)
  await consent()
  const wanted = { wanted_scopes: ['tickets.write'] }
  await services.store.transact((tx) => tx.tables<McpTables>().updateTable('mcp_grants').set(wanted).execute())
  assert.deepEqual(await pauses('run-1', `${interruptPrefix}0`), [])
  await consent()
  assert.equal((await pauses('run-1', `${interruptPrefix}0`)).length, 1)
})

test('a run that pauses after the grant is resumed, and one without a usable grant waits', async (t) => {
  const { consent, pauses, ask } = await setUp(t)
  const open = `${interruptPrefix}0`
  assert.deepEqual(await pauses('run-1', open), [], 'not consented')
  await consent()
  assert.deepEqual(await pauses('run-1', open), [{ subject: 'ada', interruptPrefix, runId: 'run-1' }])
  assert.deepEqual(await pauses('run-2', open), [], 'the grant of another')
  assert.deepEqual(await pauses('run-3', open), [], 'a run that is gone')
  const others = ['tap_1', 'aut_', `aut_${'z'.repeat(24)}_0`, `aut_${key}`, `aut_${toConsentKey('default', 'mail')}_0`]
  assert.deepEqual(await pauses('run-1', ...others), [], 'other interrupts')
  assert.equal((await ask('DELETE', '/grant/tickets')).status, 204)
  assert.deepEqual(await pauses('run-1', open), [], 'revoked')
})

test('without the plugin runs, nothing is consumed', () => {
  assert.deepEqual(mcpConsumers({ runs: undefined } as never, { system: () => undefined } as never), [])
})
