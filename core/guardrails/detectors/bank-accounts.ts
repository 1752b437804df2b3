import type { Detector, Match } from './detector.ts'

// Length of the IBAN of each country (registry of ISO 13616).
const lengths = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 ' +
    'FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 ' +
    'LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ' +
    'ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)

const begin = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}/g

/** International bank account numbers with the length of their country and the right check digits (mod 97). */
export const bankAccounts: Detector = {
  longest: 68,
  letters: 'shapes',
  find(text, from, to) {
    const found: Match[] = []
    begin.lastIndex = from
    for (let match = begin.exec(text); match !== null && match.index < to; match = begin.exec(text)) {
      const length = lengths.get(match[0].slice(0, 2).toUpperCase())
      const end = length === undefined ? undefined : endOfNumber(text, match.index, length)
      if (end === undefined) continue
      found.push({ start: match.index, end })
      begin.lastIndex = end
    }
    return found
  },
}

// Groups are separated by one character: white space, a dash or a dot.
function endOfNumber(text: string, start: number, length: number): number | undefined {
  let number = ''
  for (let at = start; at < text.length && number.length < length; at++) {
    const character = text[at] ?? ''
    if (/[A-Za-z0-9]/.test(character)) number += character.toUpperCase()
    else if (!/[\s./_-]/.test(character) || !/[A-Za-z0-9]/.test(text[at - 1] ?? '')) return undefined
    if (number.length === length)
      return /[A-Za-z0-9]/.test(text[at + 1] ?? '') || !passesMod97(number) ? undefined : at + 1
  }
  return undefined
}

function passesMod97(number: string): boolean {
  let rest = 0
  for (const character of number.slice(4) + number.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
