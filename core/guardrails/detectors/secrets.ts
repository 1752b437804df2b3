import type { SECRET_KINDS } from '#schemas/crds/guardrail-checks.ts'
import { anyOf } from './detector.ts'
import type { Detector, Match, Tail } from './detector.ts'

/** A kind of secret. */
export type SecretKind = (typeof SECRET_KINDS)[number]

const maxToken = 65_536
const word: Tail = { extend: extendBy(/[\w-]*/y), limit: maxToken }
const segments: Tail = { extend: extendBy(/[\w.-]*/y), limit: maxToken }
const base64: Tail = { extend: extendBy(/[\w+/=-]*/y), limit: maxToken }
const lines: Tail = { extend: extendPem, limit: 16_384 }

/** Enough of a text to recognise each kind; the rest of a longer secret is its tail. */
const decisive = 64

const shapes: Readonly<Record<Exclude<SecretKind, 'high_entropy'>, RegExp>> = {
  aws: /(?<![A-Za-z0-9])A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9])/g,
  anthropic: /(?<![A-Za-z0-9])sk-ant-[\w-]{20}/g,
  github: /(?<![A-Za-z0-9])(?:gh[oprsu]_[A-Za-z0-9]{36}|github_pat_\w{22})/g,
  gitlab: /(?<![A-Za-z0-9])gl(?:pat|dt|rt|ptt)-[\w-]{20}/g,
  google: /(?<![A-Za-z0-9])AIza[\w-]{35}/g,
  // The base64 of {"alg":", {"typ":" and {"kid":".
  jwt: /(?<![A-Za-z0-9])eyJ(?:hbGciOi|0eXAiOi|raWQiOi)[\w-]{4}/g,
  npm: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/g,
  openai: /(?<![A-Za-z0-9])sk-(?!ant-)[\w-]{20}/g,
  private_key: /-----BEGIN (?:(?:RSA|EC|DSA|OPENSSH|ENCRYPTED|PGP) )?PRIVATE KEY(?: BLOCK)?-----/g,
  slack: /(?<![A-Za-z0-9])xox[abeoprs]-[\w-]{10}/g,
  stripe: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16}/g,
}

/** Occurs in every text with a match of a shape, even if the text is folded. */
const hint =
  /[^\t\n\r\x20-\x7e]|A(?:KIA|SIA|BIA|CCA)|AIza|eyJ|sk-|gh[oprsu]_|github_pat_|gl(?:pat|dt|rt|ptt)-|npm_|xox[abeoprs]-|[rs]k_(?:live|test)_|-----BEGIN /

// Minimum length of a JWT match. Folding never makes a text longer.
const SHORTEST_MATCH = 14

/** Whether a text may contain a secret of a known shape: a quick check, since hardly any text does. */
export function mayHaveSecret(text: string): boolean {
  return text.length >= SHORTEST_MATCH && hint.test(text)
}

/** A detector of kinds of secrets; of all but `high_entropy` if none is named. */
export function secretDetector(kinds: readonly SecretKind[] = Object.keys(shapes) as SecretKind[]): Detector {
  return anyOf(kinds.map((kind) => (kind === 'high_entropy' ? randomTokens : shapeDetector(kind))))
}

function shapeDetector(kind: Exclude<SecretKind, 'high_entropy'>): Detector {
  const tail = kind === 'private_key' ? lines : kind === 'jwt' ? segments : word
  return tailed(shapes[kind], tail, () => true)
}

const randomTokens = tailed(/(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_=-]{32,64}/g, base64, isRandom)

// A match continues to the end of its token, in later text too.
function tailed(pattern: RegExp, tail: Tail, accept: (match: string) => boolean): Detector {
  return {
    longest: decisive,
    letters: 'shapes',
    find(text, from, to) {
      const found: Match[] = []
      pattern.lastIndex = from
      for (let match = pattern.exec(text); match !== null && match.index < to; match = pattern.exec(text)) {
        if (!accept(match[0])) continue
        const end = tail.extend(text, pattern.lastIndex)
        found.push({ start: match.index, end, tail })
        pattern.lastIndex = end
      }
      return found
    },
  }
}

function extendBy(characters: RegExp): Tail['extend'] {
  return (text, from) => {
    characters.lastIndex = from
    return characters.test(text) ? characters.lastIndex : from
  }
}

// Extends a match to the end marker, whose beginning may be in the context before `from`. An earlier key has a marker, too.
function extendPem(text: string, from: number): number {
  for (let at = Math.max(0, from - 48); ;) {
    const marker = text.indexOf('-----END ', at)
    const close = marker === -1 ? -1 : text.indexOf('-----', marker + 9)
    if (close === -1) return text.length
    if (close + 5 > from) return close + 5
    at = close + 5
  }
}

/** Mixed case and digits, and more than 4.3 bits per character. Digests in hexadecimal have at most 4. */
function isRandom(text: string): boolean {
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || !/\d/.test(text)) return false
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits > 4.3
}
