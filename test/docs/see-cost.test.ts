import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import type { CostTotals } from '#schemas/api/cost.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

interface Page {
  readonly items: readonly (CostTotals & Readonly<Record<string, unknown>>)[]
}

test(
  'R2-UX-4, B4: the commands of docs/how-to/see-cost.md make a call through the gateway and show what it cost',
  needs('kubectl'),
  async (t) => {
    const platform = await sharedEmbedded()
    const shell = createPageShell(t, 'see-cost.md', platform)
    // Answers of the API are one line each without a line feed: a block with several is run command by command.
    const answers = async (heading: string): Promise<readonly string[]> => {
      const found: string[] = []
      for (const block of shell.blocks(heading))
        for (const line of block.split('\n')) {
          const output = await shell.run(line)
          if (line.startsWith('api')) found.push(output)
        }
      return found
    }
    const ask = async <T>(query: string, status = 200, persona: 'admin' | 'viewer' = 'admin'): Promise<T> => {
      const answer = await platform.send({ method: 'GET', path: `/api/cost${query}`, bearer: platform.tokens[persona] })
      assert.equal(answer.status, status, answer.text)
      return answer.json<T>()
    }
    await shell.section('Prepare')
    for (const output of await shell.section('Make a call with a price')) assert.match(output, /"state":"succeeded"/)
    // The gateway writes calls in groups, after their answers.
    const until = async (holds: () => Promise<boolean>): Promise<void> => {
      const end = performance.now() + 120_000
      while (!(await holds())) {
        assert.ok(performance.now() < end, 'not within two minutes')
        await pause(50)
      }
    }
    const byModel = async () => (await ask<Page>('/breakdown?namespace=team-cost&groupBy=model')).items
    await until(async () => (await byModel()).some(({ model }) => model === 'mock-1'))
    const first = await ask<{ method: string; reason: string; items: unknown[] }>('/forecast?namespace=team-cost')
    assert.deepEqual([first.method, /7 days/.test(first.reason), first.items], ['none', true, []], 'R2-M12: on day one')

    const [whole] = (await answers('See the cost')).map((text) => JSON.parse(text) as { total: CostTotals })
    assert.ok(whole !== undefined)
    const { total } = whole
    const micros = total.inputTokens + 2 * total.outputTokens
    assert.ok(micros > 0)
    assert.deepEqual(total.cost, [{ amount: String(micros / 1e6), currency: 'USD' }])
    assert.deepEqual([total.calls, total.complete], [1, true], 'what the launcher reported of the call is not added')

    const [byAgent, models, series] = (await answers('Who spent it')).map((text) => JSON.parse(text) as Page)
    assert.equal((byAgent?.items[0]?.['agent'] as { name: string } | undefined)?.name, 'spender')
    assert.deepEqual(
      models?.items.map(({ model }) => model),
      ['mock-1'],
    )
    assert.partialDeepStrictEqual(series?.items, [{ agent: { name: 'spender' }, other: false, calls: 1 }])
    const byLabel = async () => (await ask<Page>('/breakdown?namespace=team-cost&groupBy=label:cost-center')).items
    await until(async () => (await byLabel())[0]?.['label'] === 'blue')
    const tenants = await ask<Page>('/breakdown?namespace=team-cost&groupBy=tenant')
    assert.deepEqual(
      tenants.items.map(({ tenant, calls }) => [tenant, calls]),
      [[null, 1]],
    )

    const [ahead] = (await answers('What it will be')).map((text) => JSON.parse(text) as { items: readonly object[] })
    // The basis ends yesterday.
    assert.deepEqual(ahead?.items, [])

    const [json = '', csv = '', focus = ''] = await answers('Charge it')
    assert.deepEqual((JSON.parse(json) as Page).items[0]?.cost, total.cost)
    const rows = (text: string) => parse<Record<string, string>>(text, { columns: true })
    assert.deepEqual(
      rows(csv).map(({ agent, cost, model }) => [agent, cost, model]),
      [['spender', String(micros / 1e6), 'mock-1']],
    )
    assert.deepEqual(
      rows(focus).map((row) => [row['ResourceName'], row['BilledCost'], row['SubAccountName'], row['ServiceName']]),
      [['spender', String(micros / 1e6), 'team-cost', 'mock-1']],
    )

    await t.test(
      'R2-N4: a call of a person has its subject in the breakdown, the statement and the exports',
      async () => {
        await answers('What people spent')
        const bySubject = async () => (await ask<Page>('/breakdown?namespace=team-cost&groupBy=subject')).items
        await until(async () => (await bySubject()).length === 2)
        const [agents, person] = await bySubject()
        assert.deepEqual([agents?.['subject'], agents?.cost], [null, total.cost])
        assert.deepEqual([person?.['subject'], person?.calls, person?.complete], ['admin', 1, true])
        const { items } = await ask<Page>('/chargeback?namespace=team-cost')
        assert.deepEqual(
          items.map(({ agent, subject, cost }) => [agent === null, subject, cost]),
          [
            [true, 'admin', person?.cost],
            [false, null, total.cost],
          ],
        )
        for (const [format, column] of [
          ['csv', 'subject'],
          ['focus', 'x_Subject'],
        ] as const) {
          const path = `/api/cost/chargeback?namespace=team-cost&format=${format}`
          const { text } = await platform.send({ method: 'GET', path, bearer: platform.tokens.admin })
          assert.deepEqual(
            rows(text).map((row) => row[column]),
            ['admin', ''],
          )
        }
      },
    )

    await t.test('K7: hostile queries are a 400 that names the field', async () => {
      const pointerOf = async (query: string): Promise<string | undefined> =>
        (await ask<{ errors?: readonly { pointer: string }[] }>(query, 400)).errors?.[0]?.pointer
      for (const view of ['', '/breakdown', '/chargeback'])
        for (const [query, pointer] of [
          ['from=%00', '?from'],
          ['from=2026-02-30', '?from'],
          ['to=99999999999', '?to'],
          ['from=1970-01-01', '?from'],
          ['from=2026-01-02&to=2026-01-01', '?to'],
        ] as const)
          assert.equal(await pointerOf(`${view}?${query}`), pointer, `${view}?${query}`)
      for (const groupBy of [
        'agents',
        '__proto__',
        'label:',
        'label:%ED%A0%80',
        'label:a%27b',
        `label:${'a'.repeat(400)}`,
      ])
        await ask(`/breakdown?groupBy=${groupBy}`, 400)
      assert.equal(await pointerOf('/chargeback?format=xml'), '?format')
      assert.equal(await pointerOf('/chargeback?format=csv&limit=1'), '?limit')
      await ask('/breakdown?namespace=team-cost&cursor=x', 400)
      await ask('/forecast?from=2026-01-01', 400)
    })

    await t.test(
      'a caller without the right in the namespace, or in the cluster, gets the 403 of the cluster',
      async () => {
        for (const view of ['', '/breakdown', '/forecast', '/chargeback']) {
          await ask(`${view}?namespace=demo`, 200, 'viewer')
          await ask(`${view}?namespace=team-cost`, 403, 'viewer')
          await ask(view, 403, 'viewer')
        }
      },
    )
  },
)
