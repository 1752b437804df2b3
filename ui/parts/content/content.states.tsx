import type { PartStates } from '../part-states.ts'
import { CopyAs } from './copy-as.tsx'
import { JsonView } from './json-view.tsx'
import { LogView } from './log-view.tsx'
import type { LogLine } from './log-view.tsx'
import { MessageBody } from './message-body.tsx'
import { MessageView } from './message-view.tsx'
import { TitledValue } from './titled-value.tsx'

const value = {
  account: '4210',
  amount: { gte: '12840.00', currency: null },
  include: ['memo', 'vendor', { deep: { deeper: { deepest: true } } }],
  limit: 20,
  html: '<script>alert(1)</script>',
}
const markdown = `**Found** the order \`48213\`, see [the ledger](https://ledger.example/orders/48213).

- it was damaged
- the customer asks for a refund

| item | amount |
|---|---|
| lamp | $12.84 |

\`\`\`json
{ "refund": true }
\`\`\`

![an image is not loaded](https://evil.example/pixel.png) <img src=x onerror=alert(1)>`

const lines: readonly LogLine[] = Array.from({ length: 60 }, (_, index) => ({
  id: String(index),
  at: new Date(Date.UTC(2026, 10, 24, 14, 0, index)).toISOString(),
  level: (['info', 'debug', 'warn', 'error'] as const)[index % 4] ?? 'info',
  words: index % 7 === 0 ? `request ${index} failed: ${'upstream '.repeat(20)}` : `request ${index} took 12 ms`,
}))

/** States of the parts of this folder. */
export const contentStates: readonly PartStates[] = [
  {
    part: 'TitledValue',
    states: [
      { name: 'words', show: () => <TitledValue title="Input" value={markdown} /> },
      { name: 'JSON', show: () => <TitledValue title="Expected" value={value} /> },
      { name: 'absent', show: () => <TitledValue title="Expected" value={undefined} absent="No expected output" /> },
    ],
  },
  {
    part: 'JsonView',
    states: [
      { name: 'value and folded', show: () => <JsonView label="Arguments" value={value} /> },
      { name: 'long', show: () => <JsonView label="Long string" value={{ words: 'long '.repeat(400) }} /> },
      {
        name: 'huge',
        show: () => (
          <div style={{ height: 240, overflow: 'hidden' }}>
            <JsonView label="Huge list" value={Array.from({ length: 9000 }, (_, index) => index)} />
          </div>
        ),
      },
      { name: 'empty', show: () => <JsonView label="Empty object" value={{}} /> },
    ],
  },
  {
    part: 'MessageView',
    states: [
      { name: 'system', show: () => <MessageView role="system" words="You answer questions about orders." /> },
      { name: 'user', show: () => <MessageView role="user" words="Order 48213 arrived damaged." /> },
      { name: 'assistant', show: () => <MessageView role="assistant" author="refund-agent" words={markdown} /> },
      { name: 'tool', show: () => <MessageView role="tool" author="orders.lookup" words={'{"status":"delivered"}'} /> },
      { name: 'reasoning', show: () => <MessageView role="reasoning" words="The customer wants a refund." /> },
      { name: 'streaming', show: () => <MessageView role="assistant" words="Looking for the ord" isStreaming /> },
      { name: 'cut', show: () => <MessageView role="tool" words="The first part of a long result" isCut /> },
      {
        name: '1 MB',
        show: () => (
          <div style={{ maxHeight: 200, overflow: 'auto' }} tabIndex={0} role="region" aria-label="A long message">
            <MessageView role="user" words={'word '.repeat(200_000)} />
          </div>
        ),
      },
      { name: 'right to left', show: () => <MessageView role="user" words="ההזמנה הגיעה שבורה. **תודה** 🙏" /> },
    ],
  },
  { part: 'MessageBody', states: [{ name: 'empty', show: () => <MessageBody words="" isStreaming={false} /> }] },
  {
    part: 'LogView',
    states: [
      {
        name: 'following',
        show: () => (
          <div style={{ display: 'flex', height: 220 }}>
            <LogView label="Log of triage" lines={lines} />
          </div>
        ),
      },
      {
        name: 'ended and cut',
        show: () => (
          <div style={{ display: 'flex', height: 160 }}>
            <LogView label="Log of a run" lines={lines.slice(0, 3)} isEnded isCut />
          </div>
        ),
      },
    ],
  },
  {
    part: 'CopyAs',
    states: [
      {
        name: 'three commands',
        show: () => (
          <CopyAs
            request={{ method: 'GET', path: '/api/runs' }}
            kubectl={['kubectl', 'get', 'agents']}
            meshctl={['meshctl', 'runs', 'list']}
          />
        ),
      },
    ],
  },
]
