import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import test from 'node:test'
import { isObject } from '#core/json/is-object.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { plugins } from '#plugins/index.ts'

/** Values that a file of a plugin exports, lists flattened; empty without the file. */
async function exportsOf({ name }: AnyPlugin, file: string): Promise<readonly unknown[]> {
  const url = new URL(`../plugins/${name}/contract/${file}`, import.meta.url)
  if (!existsSync(url)) return []
  return Object.values((await import(url.href)) as Record<string, unknown>).flat()
}

const named = (field: string) => (value: unknown) => (isObject(value) ? value[field] : undefined)

test('CON6, CON7: every point, event and error that a plugin defines is in its slots', async () => {
  const found = { points: 0, events: 0, errors: 0 }
  for (const plugin of plugins) {
    const points = (await exportsOf(plugin, 'points.ts')).map(named('name')).filter((name) => name !== undefined)
    const events = (await exportsOf(plugin, 'events.ts')).map(named('type')).filter((type) => type !== undefined)
    const own = (await exportsOf(plugin, 'errors.ts')).flatMap((table) => (isObject(table) ? Object.keys(table) : []))
    const ofStored = (plugin.stored ?? []).flatMap(({ resource }) => Object.values(resource.errors))
    const errors = [...own, ...ofStored.map(({ code }) => code)]
    assert.deepEqual(points.toSorted(), (plugin.points ?? []).map(({ name }) => name).toSorted(), plugin.name)
    const declared = (plugin.events ?? []).map(({ type }) => type)
    assert.deepEqual(
      [...new Set(events)].filter((type) => !declared.some((one) => one === type)),
      [],
      plugin.name,
    )
    assert.deepEqual(errors.toSorted(), Object.keys(plugin.errors ?? {}).toSorted(), plugin.name)
    found.points += points.length
    found.events += events.length
    found.errors += errors.length
  }
  assert.ok(found.points > 5 && found.events > 10 && found.errors > 5, JSON.stringify(found))
})
