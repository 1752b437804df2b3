import assert from 'node:assert/strict'
import test from 'node:test'
import { compileGuard } from '#core/guardrails/compile-guard.ts'
import { cases, innocent, knownMisses, rules } from './cases.ts'
import type { EvasionCase } from './cases.ts'
import { documentOf, startGuarded } from './guarded.ts'
import { places } from './places.ts'
import { remainsOf, textOf } from './remains.ts'
import type { Remains } from './remains.ts'
import { cutsOf, interleaved, streamPlaces } from './streams.ts'

/** The number of disguises that are not found when this list was written: it may only become smaller. */
const MAX_KNOWN_MISSES = 5
const LEAST_CASES = 400
const MARK = '\u0001'

type Guarded = Awaited<ReturnType<typeof startGuarded>>

/** What of the content reaches the provider, or the agent on a stream. */
async function remainsOfCase({ sent, streamed }: Guarded, one: EvasionCase): Promise<Remains> {
  const { place, disguise, written } = one
  if ('deltas' in place) {
    const text = place.read(await streamed(place.path, place.deltas(one.evil)))
    return remainsOf(text, { before: one.before, after: one.after, written, disguise })
  }
  const [before = '', after = ''] = textOf(JSON.parse(documentOf(place, one.before + MARK + one.after).expected)).split(
    MARK,
  )
  const text = textOf(JSON.parse(await sent(place.path, documentOf(place, one.evil).document)))
  return remainsOf(text, { before, after, written, disguise })
}

async function isTwinUnchanged({ sent, streamed }: Guarded, { place, twin }: EvasionCase): Promise<boolean> {
  if ('deltas' in place) return place.read(await streamed(place.path, place.deltas(twin))) === twin
  const { document, expected } = documentOf(place, twin)
  return (await sent(place.path, document)) === expected
}

test('R2-N6: each evasion of the corpus is gone, and its innocent twin passes byte for byte', async (t) => {
  const guarded = await startGuarded(t, rules)
  const missed = { unknown: [] as string[], known: [] as string[], partly: [] as string[] }
  const changed: string[] = []
  for (const one of cases) {
    const { isFound, isGone } = await remainsOfCase(guarded, one)
    if (!isGone)
      missed[one.knownMiss !== undefined ? 'known' : isFound ? 'partly' : 'unknown'].push(one.knownMiss ?? one.name)
    if (!(await isTwinUnchanged(guarded, one))) changed.push(one.name)
  }
  const { unknown, known, partly } = missed
  const figures = `${cases.length} evasions: ${cases.length - unknown.length - known.length - partly.length} gone, ${known.length} known not to be, ${partly.length} in part, ${unknown.length} not; ${changed.length} twins changed`
  t.diagnostic(figures)
  assert.ok(cases.length >= LEAST_CASES)
  assert.deepEqual({ unknown, partly, changed }, { unknown: [], partly: [], changed: [] }, figures)
  const found = knownMisses.filter(({ disguise }) => !known.includes(disguise))
  assert.deepEqual(found, [], 'remove what is found from the known misses')
  assert.ok(knownMisses.length <= MAX_KNOWN_MISSES)
})

test('R2-N6: innocent texts pass in every place byte for byte', async (t) => {
  const { sent, streamed } = await startGuarded(t, rules)
  const changed: string[] = []
  let count = 0
  for (const [nth, text] of innocent.entries()) {
    for (const place of places.filter((_, index) => (index + nth) % 3 === 0)) {
      const { document, expected } = documentOf(place, text)
      count++
      if ((await sent(place.path, document)) !== expected) changed.push(`${place.name}: ${text}`)
    }
    for (const place of streamPlaces.filter((_, index) => (index + nth) % 3 === 0)) {
      count++
      if (place.read(await streamed(place.path, place.deltas(text))) !== text) changed.push(`${place.name}: ${text}`)
    }
  }
  t.diagnostic(`${count} innocent texts: ${changed.length} changed`)
  assert.deepEqual(changed, [])
})

/** Whether the beginning of an innocent text is a match where it is cut off: the first 14 digits of a card's twin. */
async function isCutFound(text: string): Promise<boolean> {
  const guard = compileGuard([{ namespace: 'a', name: 'p', rules }])
  const { findings } = await guard.texts('response', cutsOf(text))
  return findings.length > 0
}

test('R2-N6: a stream whose match is split by another field is stopped, and its twin passes', async (t) => {
  const { streamed } = await startGuarded(
    t,
    rules.map((rule) => ({ ...rule, action: 'block' })),
  )
  const split = cases.filter(({ knownMiss, place }) => knownMiss === undefined && 'deltas' in place)
  const asText = streamPlaces.filter(({ name }) => name.endsWith(': stream'))
  const [passed, stopped]: string[][] = [[], []]
  for (const [nth, { name, evil, twin }] of split.entries()) {
    const place = asText[nth % asText.length]
    if (place === undefined) continue
    if (!(await streamed(place.path, interleaved(evil))).includes('guardrail_blocked')) passed?.push(name)
    if (await isCutFound(twin)) continue
    if (place.read(await streamed(place.path, interleaved(twin))) !== twin) stopped?.push(name)
  }
  t.diagnostic(`${split.length} interleaved streams: ${passed?.length} passed; ${stopped?.length} twins stopped`)
  assert.deepEqual({ passed, stopped }, { passed: [], stopped: [] })
})

test('R2-N6: what is found does not depend on where the parts of a stream begin', () => {
  const guard = compileGuard([{ namespace: 'a', name: 'p', rules }])
  const released = (text: string, size: number): string => {
    const stream = guard.stream()
    let result = ''
    for (let at = 0; at < text.length; at += size) result += stream.push(text.slice(at, at + size)).release
    return result + stream.end().release
  }
  for (const { name, evil, twin } of cases.filter((one) => one.evil.length < 3_000))
    for (const text of [evil, twin]) {
      const whole = released(text, text.length)
      for (const size of [1, 7, 30]) assert.equal(released(text, size), whole, `${name}, ${size}`)
    }
})
