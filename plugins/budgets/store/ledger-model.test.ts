import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { countOf } from '#test/harness/counts.ts'
import { moneyLimit, newHold, openLedger } from '../testing/ledger.ts'

type Operation =
  | { readonly kind: 'reserve'; readonly amount: number; readonly tenant: boolean; readonly lost: boolean }
  | {
      readonly kind: 'end'
      readonly hold: number
      readonly charge: number | null
      readonly release: boolean
      readonly stranger: boolean
    }
  | { readonly kind: 'expire' }

const operations = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('reserve' as const), amount: fc.nat(60), tenant: fc.boolean(), lost: fc.boolean() }),
    fc.record({
      kind: fc.constant('end' as const),
      hold: fc.nat(20),
      charge: fc.option(fc.nat(80)),
      release: fc.boolean(),
      stranger: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('expire' as const) }),
  ),
  { minLength: 10, maxLength: 40 },
)

/** The ledger in memory: what the statements must do. */
class Model {
  readonly limits: Readonly<Record<string, bigint>>
  readonly money: Record<string, { spent: bigint; held: bigint; overrun: bigint }> = {}
  readonly holds: { id: string; amount: bigint; owners: readonly string[]; lost: boolean; charged?: bigint }[] = []

  constructor(limits: Readonly<Record<string, bigint>>) {
    this.limits = limits
  }

  account(owner: string) {
    return (this.money[owner] ??= { spent: 0n, held: 0n, overrun: 0n })
  }

  fits(owners: readonly string[], amount: bigint): boolean {
    return owners.every((owner) => {
      const { spent, held } = this.account(owner)
      return spent + held + amount <= (this.limits[owner] ?? 0n)
    })
  }

  end(hold: (typeof this.holds)[number], charge: bigint): void {
    if (hold.charged !== undefined) return
    hold.charged = charge
    for (const owner of hold.owners) {
      const account = this.account(owner)
      account.held -= hold.amount
      account.spent += charge
      if (charge > hold.amount) account.overrun += charge - hold.amount
    }
  }
}

const [{ name, skip, open } = pluginAdapters[0]] = pluginAdapters
test(`${name}: B1: any sequence of operations leaves the ledger as its model`, { skip }, async (t) => {
  const { ledger, accounts } = await openLedger(t, open)
  let round = 0
  const property = fc.asyncProperty(operations, async (sequence) => {
    const [agent, tenant] = [`AgentDeployment/${++round}a`, `AgentDeployment/${round}b`]
    const limits = { [agent]: 200n, [tenant]: 120n }
    const model = new Model(limits)
    for (const operation of sequence) await play(operation, { model, owners: [agent, tenant] })
    const stored = await accounts()
    for (const [owner, money] of Object.entries(model.money)) assert.deepEqual(stored[owner], money)
    for (const { spent, held, overrun } of Object.values(model.money)) assert.ok(spent - overrun + held <= 200n)
  })

  async function play(operation: Operation, { model, owners }: { model: Model; owners: readonly string[] }) {
    if (operation.kind === 'expire') {
      await ledger.expire(1_000)
      for (const hold of model.holds) if (hold.lost) model.end(hold, hold.amount)
    } else if (operation.kind === 'reserve') {
      const amount = BigInt(operation.amount)
      const used = operation.tenant ? owners : owners.slice(0, 1)
      const limits = used.map((owner) => moneyLimit(owner.slice(owner.indexOf('/') + 1), model.limits[owner] ?? 0n))
      const hold = newHold({ amount, limits, leaseSeconds: operation.lost ? 0 : 600 })
      const fits = model.fits(used, amount)
      assert.equal((await ledger.reserve(hold)).kind === 'held', fits)
      if (!fits) return
      for (const owner of used) model.account(owner).held += amount
      model.holds.push({ id: hold.id, amount, owners: used, lost: operation.lost })
    } else {
      const hold = model.holds[operation.hold]
      const id = hold?.id ?? randomUUID()
      const charge = operation.release ? 0n : operation.charge === null ? undefined : BigInt(operation.charge)
      const state = operation.release ? 'released' : 'settled'
      const ended = await ledger.end({ id, holder: operation.stranger ? 'stranger' : 'holder-1', state, charge })
      if (operation.stranger || hold === undefined) return assert.equal(ended, undefined)
      model.end(hold, charge ?? hold.amount)
      assert.equal(ended?.charged, hold.charged)
    }
  }

  await fc.assert(property, { numRuns: countOf(15, 500) })
})
