import { isIP } from 'node:net'
import type { PII_KINDS } from '#schemas/crds/guardrail-checks.ts'
import { bankAccounts } from './bank-accounts.ts'
import { cardNumbers } from './card-numbers.ts'
import { anyOf, patternDetector } from './detector.ts'
import type { Detector } from './detector.ts'

/** A kind of personal data. */
export type PiiKind = (typeof PII_KINDS)[number]

// International numbers (E.164), and North American ones without a country code.
const phones = anyOf([
  patternDetector(/(?<![\w+])\+[1-9][\d \t().-]{6,30}\d(?!\d)/g, 40, (match) => isBetween(digitsIn(match), 8, 15)),
  patternDetector(/(?<![\w.+-])\(?[2-9]\d\d\)?[ .-]\d{3}[ .-]\d{4}(?!\w)/g, 20),
])

// Versions may have four numbers too.
const addresses = anyOf([
  patternDetector(
    /(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\.?\w|-(?:alpha|beta|rc|dev|pre|snapshot|nightly))/g,
    32,
    (match) => isIP(match) === 4,
  ),
  patternDetector(/(?<![\w:.])[0-9A-Fa-f:]{4,39}(?![\w:])/g, 40, (match) => isIP(match) === 6),
])

const detectors: Readonly<Record<PiiKind, Detector>> = {
  email: patternDetector(
    /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24}(?![A-Za-z0-9])/g,
    160,
  ),
  phone: phones,
  credit_card: cardNumbers,
  iban: bankAccounts,
  // Numbers that were never issued do not match.
  us_ssn: patternDetector(/(?<![\w-])(?!000|666|9)\d{3}([- ])(?!00)\d\d\1(?!0000)\d{4}(?![\w-])/g, 12),
  ip_address: addresses,
}

/** Every kind of personal data. */
export const piiKinds = Object.keys(detectors) as readonly PiiKind[]

/** A detector of kinds of personal data; of all if none is named. */
export function piiDetector(kinds: readonly PiiKind[] = piiKinds): Detector {
  return anyOf(kinds.map((kind) => detectors[kind]))
}

function digitsIn(text: string): number {
  return text.replace(/\D/g, '').length
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}
