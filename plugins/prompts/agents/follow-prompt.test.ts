import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { migrate } from '#core/database/migrate.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { followEvents } from '#core/messaging/follow-events.ts'
import { migrationsOfStored } from '#core/plugin/stored-slot.ts'
import type { Caller } from '#core/cluster/caller.ts'
import type { ResolvedPrompt } from '#plugins/agents/contract/points.ts'
import { apiServers, startReconciler, until } from '#plugins/agents/testing/start-reconciler.ts'
import { rollBack } from '#plugins/agents/versions/rollback.ts'
import { readRevisions, shownSpecAt, toVersions } from '#plugins/agents/versions/revisions.ts'
import type { Revision } from '#plugins/agents/versions/revisions.ts'
import { prompts } from '../index.ts'
import { appendVersionIn, createPromptIn, moveLabelsIn } from '../store/write-prompt.ts'
import { createPromptSource } from './prompt-source.ts'

async function openPrompts(t: TestContext) {
  const database = await openMemoryStore()
  t.after(() => database.close())
  const own = { name: 'prompts', declared: migrationsOfStored(prompts) }
  await migrate(database, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, own])
  const store = createStore(database, { projections: [], eventTypes: [...(prompts.events ?? [])] })
  return { database, store, source: createPromptSource({ store }) }
}

for (const { make, options } of apiServers)
  test(`${make}: a moved label makes a revision of each agent that follows it`, options, async (t) => {
    const { database, store, source } = await openPrompts(t)
    const events = (follower: Parameters<typeof followEvents>[1], signal: AbortSignal) =>
      followEvents(database, follower, signal)
    const { cluster, namespace, ref, create, change, when, agent } = await startReconciler(t, make, {
      prompts: source,
      events,
    })
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values ('ns', 'Namespace', '', ${namespace}, '1', '')`.execute(database.root)
    const write = { namespace, name: 'greet', by: 'ann', labels: [], expect: () => undefined }
    const at = () => ({ ...write, at: new Date() })
    const append = (text: string) => store.transact((tx) => appendVersionIn(tx, { ...at(), content: { text } }))
    const move = (label: string, version: number, by = 'ann') =>
      store.transact((tx) => moveLabelsIn(tx, { ...at(), by }, new Map([[label, version]])))
    const caller = { cluster } as Caller
    const revisions = async () => (await readRevisions(caller, ref)).revisions
    const promptOf = ({ data }: Revision) => data?.resolved?.prompt as ResolvedPrompt | undefined
    const newest = (version: number) =>
      until(`version ${version}`, async () => {
        const [first] = await revisions()
        return first !== undefined && promptOf(first)?.version === version ? promptOf(first) : undefined
      })

    const prompt = { name: 'greet', label: 'staging', variables: { name: 'Ada' } }
    await create({ model: { route: 'mock', params: { topP: 0.5 } }, prompt })
    const missing = await when('ResolvedRefs=False NotFound')
    assert.match(JSON.stringify(missing.status?.conditions), /PromptVersion .*\/greet \(spec.prompt\) does not exist/)
    const content = { text: 'Greet {{name}}.', config: { temperature: 0.1, topP: 1 } }
    await store.transact((tx) => createPromptIn(tx, { ...at(), content }, { namespaceUid: 'ns', quota: 10 }))
    await when('ResolvedRefs=False PromptLabelNotFound')
    assert.deepEqual(await revisions(), [], 'nothing runs without its prompt')
    await move('staging', 1)
    const first = await newest(1)
    assert.deepEqual([first?.systemPrompt, first?.label], ['Greet Ada.', 'staging'])
    await append('Welcome {{name}}.')
    await append('Good day {{name}}, {{wish}}.')
    await move('staging', 2, 'bob')
    assert.equal((await newest(2))?.systemPrompt, 'Welcome Ada.')
    await move('staging', 3, 'bob')
    await when('ResolvedRefs=False PromptVariableMissing')
    await move('other', 3)
    await move('staging', 2, 'bob')
    await when('ResolvedRefs=True ResolvedRefs')
    const stored = await revisions()
    assert.deepEqual(
      stored.map((one) => promptOf(one)?.version),
      [2, 1],
      'a version that lacks a variable is not rolled out',
    )
    const [second] = toVersions(await agent(), stored)
    assert.deepEqual([second?.prompt?.version, second?.prompt?.label], [2, 'staging'])
    assert.deepEqual(
      [second?.createdBy, second?.createdByExact],
      ['bob', true],
      'who moved the label made the revision',
    )
    assert.equal(second?.summary, 'prompt greet is version 2 instead of 1')
    const shown = [1, 2].map((one) => shownSpecAt({ ...missing }, stored, String(one)).prompt?.version)
    assert.deepEqual(shown, [1, 2], 'the diff of the versions has the numbers')

    const rolled = await rollBack(caller, ref, 1, { dryRun: false, signal: AbortSignal.timeout(60_000) })
    assert.deepEqual(rolled.spec.prompt, { name: 'greet', version: 1, variables: { name: 'Ada' } })
    assert.equal((await newest(1))?.systemPrompt, 'Greet Ada.')
    const [third] = toVersions(await agent(), await revisions())
    assert.deepEqual([third?.revision, third?.source, third?.rollbackTo], [3, 'rollback', 1])

    await change([{ op: 'replace', path: '/spec/prompt', value: { name: 'greet', version: 9 } }])
    await when('ResolvedRefs=False PromptVersionNotFound')
  })
