import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { newHold, openLedger } from '../testing/ledger.ts'

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: a live hold is taken over once, for its agent and its route`, { skip }, async (t) => {
    const { ledger } = await openLedger(t, open)
    const [one, late, ended, other] = [newHold(), newHold({ leaseSeconds: 0 }), newHold(), newHold()]
    for (const hold of [one, late, ended, other]) await ledger.reserve(hold)
    await ledger.end({ id: ended.id, holder: ended.holder, state: 'settled', charge: 1n })
    const { agentUid, route } = one
    const refused = [
      { id: one.id, agentUid: 'agent-2', route },
      { id: one.id, agentUid, route: 'demo/other' },
      { id: late.id, agentUid, route },
      { id: ended.id, agentUid, route },
      { id: randomUUID(), agentUid, route },
    ]
    for (const [index, claim] of refused.entries()) assert.equal(await ledger.claim(claim), undefined, `alone ${index}`)
    const claims = [...refused, ...[one, one, other].map(({ id }) => ({ id, agentUid, route }))]
    const taken = await Promise.all(claims.map((claim) => ledger.claim(claim)))
    assert.deepEqual(
      taken.slice(0, refused.length).filter((found) => found !== undefined),
      [],
    )
    const found = taken.flatMap((claimed) => (claimed === undefined ? [] : [claimed.id]))
    assert.deepEqual(found.toSorted(), [one.id, other.id].toSorted(), 'also if asked for together')
    const own = taken.at(-1)
    assert.deepEqual(
      [own?.holder, own?.currency, own?.prices, own?.max_output],
      [other.holder, 'USD', other.prices, BigInt(other.maxOutputTokens)],
    )
    assert.equal(await ledger.claim({ id: one.id, agentUid, route }), undefined)
  })

  test(
    `${name}: a hold that its gateway has ended still pays for the answer, until its lease ends alone`,
    { skip },
    async (t) => {
      const { ledger } = await openLedger(t, open)
      const [settled, released, own, lost] = [newHold(), newHold(), newHold(), newHold({ leaseSeconds: 0 })]
      const holds = [settled, released, own, lost]
      for (const hold of holds) await ledger.reserve(hold)
      for (const { id, agentUid, route } of [settled, released]) await ledger.claim({ id, agentUid, route })
      await ledger.end({ id: settled.id, holder: settled.holder, state: 'settled', charge: 1n })
      await ledger.end({ id: released.id, holder: released.holder, state: 'released', charge: 0n })
      await ledger.end({ id: own.id, holder: own.holder, state: 'settled', charge: 1n })
      await ledger.expire(10)
      const ids = holds.map(({ id }) => id)
      const renewed = await ledger.renew(ids, settled.holder)
      assert.deepEqual(renewed.map(({ id }) => id).toSorted(), [settled.id, released.id].toSorted())
      assert.deepEqual(await ledger.renew(ids, 'holder-2'), [], 'of another launcher')
    },
  )
}
