import type { PartStates } from '../part-states.ts'
import { Actor } from './actor.tsx'
import { AgentName, Glyph } from './agent-name.tsx'
import { IdCopy } from './id-copy.tsx'
import { Count, Duration, Money } from './numbers.tsx'
import { Time } from './time.tsx'

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString()
const rightToLeft = 'שירות-הזמנות'

/** States of the parts of this folder. */
export const valueStates: readonly PartStates[] = [
  {
    part: 'Time',
    states: [
      {
        name: 'relative',
        show: () => [1, 40, 400, 9000, 400_000].map((seconds) => <Time key={seconds} at={ago(seconds)} />),
      },
      { name: 'exact', show: () => <Time at="2026-11-24T14:00:13.868Z" isExact /> },
      { name: 'ahead', show: () => <Time at={ago(-240)} /> },
      { name: 'unknown', show: () => <Time at={null} /> },
    ],
  },
  {
    part: 'Duration',
    states: [
      {
        name: 'all units',
        show: () => [8.4, 840, 3420, 32_000, 124_000, 15_120_000].map((ms) => <Duration key={ms} ms={ms} />),
      },
      { name: 'unknown', show: () => <Duration ms={null} /> },
    ],
  },
  {
    part: 'Money',
    states: [
      {
        name: 'places',
        show: () =>
          ['4670.05', '0.0036', '0', '0.000001'].map((amount) => <Money key={amount} amount={amount} currency="USD" />),
      },
      { name: 'other currency', show: () => <Money amount="12.5" currency="EUR" /> },
      { name: 'unknown', show: () => <Money amount={null} currency="USD" /> },
    ],
  },
  {
    part: 'Count',
    states: [
      { name: 'exact and short', show: () => [7, 9999, 12_800].map((value) => <Count key={value} value={value} />) },
    ],
  },
  { part: 'IdCopy', states: [{ name: 'an id', show: () => <IdCopy id="0193c5e1-77aa-7000-8000-000000000001" /> }] },
  {
    part: 'Actor',
    states: [
      { name: 'user', show: () => <Actor name="mira.lang@example.com" /> },
      { name: 'service account', show: () => <Actor name="system:serviceaccount:support:zendesk-bot" /> },
      { name: 'guess', show: () => <Actor name="argocd-controller" isGuess /> },
      { name: 'right to left', show: () => <Actor name={rightToLeft} /> },
    ],
  },
  {
    part: 'AgentName',
    states: [
      {
        name: 'names',
        show: () =>
          ['triage', 'refund-agent', 'critic'].map((name) => <AgentName key={name} name={name} revision="r4" />),
      },
      {
        name: 'emoji and right to left',
        show: () => ['🚀 launch', rightToLeft].map((name) => <AgentName key={name} name={name} />),
      },
    ],
  },
  {
    part: 'Glyph',
    states: [
      {
        name: 'hues',
        show: () => ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => <Glyph key={name} name={name} />),
      },
    ],
  },
]
