import assert from 'node:assert/strict'
import test from 'node:test'
import type { Static } from 'typebox'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { Conversation, Subject, Turn } from '#schemas/api/conversations.ts'
import { serveRuns } from '../testing/served-runs.ts'
import { agent } from '../testing/world.ts'

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

const actor = { name: 'worker', kind: 'system' } as const
const started = { fact: 'started', epoch: 1, segment: 1 } as const

for (const { name, skip, open } of pluginAdapters)
  test(
    `${name}: conversations and subjects are paged, and turns show outcome, error and revision`,
    { skip },
    async (t) => {
      const database = await open(t)
      const { world, ask } = await serveRuns(t, database)
      const say = async (conversationId: string, input: string): Promise<string> => {
        const body = { agent: { namespace: agent.namespace, name: agent.name }, input, conversationId }
        const made = await ask('POST', '/runs', body)
        assert.equal(made.statusCode, 201, made.body)
        return made.json<{ id: string }>().id
      }
      const [answered, broken] = [await say('talk', 'one'), await say('talk', 'two')]
      await say('other', 'three')
      const content = {
        content: { succeeded: { output: 'the answer' } },
        stored: { output: 'the answer', outputPreview: null },
      }
      await world.writer.change(answered, { actor }, () => ({ facts: [started, { fact: 'succeeded' }], ...content }))
      await world.writer.change(broken, { actor }, () => ({
        facts: [started, { fact: 'failed', failReason: 'agent_error' }],
      }))
      await sql`update runs_runs set agent_revision = 3 where id = ${answered}`.execute(database.root)
      await sql`update runs_runs set subject = 'bob' where id = ${broken}`.execute(database.root)
      const read = async <Body>(path: string): Promise<Body> => {
        const answer = await ask('GET', path)
        assert.equal(answer.statusCode, 200, answer.body)
        return answer.json<Body>()
      }
      const { items: turns } = await read<Page<Static<typeof Turn>>>('/conversations/talk')
      assert.deepEqual(
        turns.map((turn) => [turn.runId, turn.state, turn.input, turn.output, turn.agent?.revision, turn.error?.code]),
        [
          [answered, 'succeeded', 'one', 'the answer', 3, undefined],
          [broken, 'failed', 'two', null, null, 'agent_error'],
        ],
      )
      assert.ok(turns.every(({ finishedAt }) => Date.parse(finishedAt ?? '') > 0))
      const pagesOf = async <Item>(path: string, idOf: (item: Item) => string): Promise<readonly string[]> => {
        const seen: string[] = []
        for (let cursor: string | null = ''; cursor !== null && seen.length < 10;) {
          const page: Page<Item> = await read(`${path}?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
          seen.push(...page.items.map(idOf))
          cursor = page.nextCursor
        }
        return seen
      }
      assert.deepEqual(await pagesOf<Static<typeof Conversation>>('/conversations', ({ id }) => id), ['other', 'talk'])
      await sql`insert into runs_conversations select (jsonb_populate_record(null::runs_conversations,
      to_jsonb(one) || '{"subject": "zoe"}')).* from runs_conversations one where conversation_id = 'other'`.execute(
        database.root,
      )
      assert.deepEqual(await pagesOf<Static<typeof Subject>>('/subjects', ({ subject }) => subject), ['test', 'zoe'])
      for (const path of ['/conversations?cursor=x', '/conversations/%00', '/subjects?q=%00', '/subjects?limit=0'])
        assert.ok([400, 404].includes((await ask('GET', path)).statusCode), path)
    },
  )
