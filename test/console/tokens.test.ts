import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'

const sheet = readFileSync(new URL('../../ui/design/tokens.css', import.meta.url), 'utf8')

type Scheme = 'light' | 'dark'

/** A colour by its name, in a scheme. */
function colour(name: string, scheme: Scheme): string {
  const [, value = ''] = new RegExp(`--${name}: ([^;]+);`).exec(sheet) ?? []
  const [, light, dark] = /^light-dark\((#\w{6}), (#\w{6})\)$/.exec(value) ?? []
  const found = value.startsWith('#') ? value : scheme === 'light' ? light : dark
  assert.match(found ?? '', /^#[\da-f]{6}$/, `--${name} has no colour`)
  return found ?? ''
}

// WCAG 2.2, relative luminance.
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

const grounds = ['canvas', 'surface', 'raised', 'side-bg', 'sunken', 'hover']
const tones = ['ok', 'warn', 'bad', 'info', 'wait', 'mute']
const pairs: readonly (readonly [string, string, number])[] = [
  ...grounds.flatMap((ground) => ['text', 'text-2', 'text-3'].map((text) => [text, ground, 4.5] as const)),
  ...['text', 'text-2'].map((text) => [text, 'press', 4.5] as const),
  ...['canvas', 'surface', 'raised', 'accent-bg', 'hover'].map((ground) => ['accent-text', ground, 4.5] as const),
  ...['text', 'text-2'].map((text) => [text, 'accent-bg', 4.5] as const),
  ...tones.flatMap((tone) => [`${tone}-bg`, 'canvas', 'surface'].map((ground) => [tone, ground, 4.5] as const)),
  ['on-button', 'button', 4.5],
  ['on-button', 'button-hover', 4.5],
  ...['canvas', 'surface', 'raised', 'side-bg'].map((ground) => ['accent', ground, 3] as const),
  ...['model', 'tool', 'delegate', 'guardrail', 'step'].map((kind) => [`span-${kind}`, 'surface', 3] as const),
  ...[1, 2, 3, 4, 5, 6].map((series) => [`series-${series}`, 'surface', 3] as const),
]

for (const scheme of ['light', 'dark'] as const)
  test(`text and graphics of the console can be read: ${scheme}`, () => {
    const poor = pairs
      .map(([ink, ground, least]) => ({
        ink,
        ground,
        least,
        ratio: contrast(colour(ink, scheme), colour(ground, scheme)),
      }))
      .filter(({ ratio, least }) => ratio < least)
    assert.deepEqual(poor, [])
  })

test('the contrast of black and white is 21', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21)
})
