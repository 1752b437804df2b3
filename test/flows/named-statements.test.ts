import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { countedUrl } from '#core/database/testing/counted-database.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { countsSince, createStatementCounter } from '#test/harness/statement-count.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startAll } from './platform/embedded.ts'
import { createSend } from './platform/send.ts'
import { untilObserved } from './platform/until-observed.ts'

const runs = 20
// A name is given at the fifth execution of a pool; each connection then prepares it once.
const fewest = 10

test(
  'R2-P2: on a database that this process migrated, every statement of 20 runs executed more than 10 times has a name',
  { ...needs('postgres', 'initdb'), timeout: 480_000 },
  async (t) => {
    const counter = createStatementCounter()
    const databaseUrl = await countedUrl(t, await createDatabase(t), counter)
    const folder = tempFolder('named-statements')
    t.after(folder.remove)
    const config = join(folder.path, 'mesh.yaml')
    writeFileSync(config, JSON.stringify({ databaseUrl }))
    const { ready } = await startAll(t, join(folder.path, 'data'), {
      flags: ['--no-demo'],
      env: { MESH_CONFIG: config },
    })
    const send = untilObserved(createSend(t, ready.url))
    const post = async (path: string, body: unknown): Promise<string> => {
      const answer = await send({ method: 'POST', path, bearer: ready.tokens.developer, body })
      assert.ok(answer.status < 300, answer.text)
      return answer.text
    }
    await post('/api/agents', { namespace: 'default', config: { name: 'named', model: { route: 'mock' } } })
    const run = async (): Promise<void> => {
      const answer = await post('/api/invoke', { agent: { namespace: 'default', name: 'named' }, input: 'Hi' })
      assert.match(answer, /"succeeded"/)
    }
    const atStart = counter.counts()
    for (let done = 0; done < runs; done++) await run()
    const executed = countsSince(atStart, counter.counts())
    const before = counter.unnamed()
    await run()
    const unnamed = countsSince(before, counter.unnamed())
    const hot = Object.keys(executed).filter((text) => (executed[text] ?? 0) > fewest)
    assert.ok(hot.length > 10, `only ${hot.length} statements were executed more than ${fewest} times`)
    assert.deepEqual(
      hot.filter((text) => text in unnamed),
      [],
    )
  },
)
