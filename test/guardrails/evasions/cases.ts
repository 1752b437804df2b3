import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { disguises } from './disguises.ts'
import type { Disguise, Letters } from './disguises.ts'
import { places } from './places.ts'
import type { Place } from './places.ts'
import { streamPlaces } from './streams.ts'
import type { StreamPlace } from './streams.ts'

interface Content {
  readonly name: string
  readonly check: 'pii' | 'secrets' | 'words' | 'regex'
  readonly evil: string
  readonly twin: string
  readonly letters: Letters
}

/** A disguised content in one place of a request, and its innocent twin in the same form. */
export interface EvasionCase {
  readonly name: string
  /** The disguise, if it is known that it is not found. */
  readonly knownMiss: string | undefined
  readonly place: Place | StreamPlace
  readonly disguise: Disguise
  /** The sentence around the content. */
  readonly before: string
  readonly after: string
  readonly written: string
  readonly evil: string
  readonly twin: string
}

interface KnownMiss {
  readonly disguise: string
  /** The content that it is about; all of them without it. */
  readonly content?: string
  readonly reason: string
}

const read = <T>(file: string): T => parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as T
const contents = read<readonly Content[]>('contents.yaml')
const sentences = read<readonly string[]>('sentences.yaml')

/** Texts in which rules find nothing. */
export const innocent = read<readonly string[]>('innocent.yaml')
/** Disguises that are not found. */
export const knownMisses = read<readonly KnownMiss[]>('known-misses.yaml')

const everyPlace = [...places, ...streamPlaces]

/** Every content in every disguise that changes it. Sentences and places take turns. */
export const cases: readonly EvasionCase[] = contents.flatMap(({ name, evil, twin, letters }, nth) =>
  disguises.flatMap((disguise, index) => {
    const written = disguise.write(evil)
    const isSame = disguise.name !== 'none' && written === evil
    if (isSame || disguise.letters?.includes(letters) === false) return []
    const sentence = sentences[(nth + index) % sentences.length] ?? '{}'
    const place = everyPlace[(5 * nth + index) % everyPlace.length]
    if (place === undefined) return []
    const [before = '', after = ''] = sentence.split('{}')
    const inSentence = (value: string): string => before + value + after
    return {
      name: `${name}, ${disguise.name}, ${place.name}`,
      knownMiss: knownMisses.find(
        (miss) => miss.disguise === disguise.name && (miss.content === undefined || miss.content === name),
      )?.disguise,
      place,
      disguise,
      before,
      after,
      written,
      evil: inSentence(written),
      twin: inSentence(disguise.write(twin)),
    }
  }),
)

/** Rules that find every content. */
export const rules = [
  { name: 'pii', action: 'mask' as const, pii: {} },
  { name: 'keys', action: 'mask' as const, secrets: {} },
  {
    name: 'words',
    action: 'mask' as const,
    words: { phrases: contents.filter(({ check }) => check === 'words').map(({ evil }) => evil) },
  },
  { name: 'codename', action: 'mask' as const, regex: { patterns: ['MAGENTA-[0-9]'] } },
]
