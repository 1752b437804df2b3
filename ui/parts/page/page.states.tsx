import { Button } from '../control/button.tsx'
import type { PartStates } from '../part-states.ts'
import { StatusBadge } from '../status/status-badge.tsx'
import { Glyph } from '../value/agent-name.tsx'
import { Card, Report } from './card.tsx'
import { Guide } from './guide.tsx'
import { Notice } from './notice.tsx'
import { PageActions } from './page-actions.tsx'
import { PageBar } from './page-bar.tsx'
import { Dock, DockBody, DockFacts, Split } from './split.tsx'

const nothing = (): void => undefined

/** States of the parts of this folder. */
export const pageStates: readonly PartStates[] = [
  {
    part: 'PageBar',
    states: [
      { name: 'without actions', show: () => <PageBar title="Audit" /> },
      {
        name: 'with actions',
        show: () => (
          <PageBar
            title="triage"
            crumbs={[{ label: 'Agents', to: '/agents' }]}
            lead={<Glyph name="triage" />}
            actions={[
              { text: 'New agent', icon: 'plus', rank: 'primary', onPick: nothing },
              { text: 'Share', icon: 'share', rank: 'secondary', onPick: nothing },
              { text: 'Delete', rank: 'menu', isDanger: true, onPick: nothing },
            ]}
          >
            <StatusBadge state="ready" />
          </PageBar>
        ),
      },
      {
        name: 'long name',
        show: () => <PageBar title={'a-long-name-'.repeat(20)} crumbs={[{ label: 'Agents', to: '/agents' }]} />,
      },
    ],
  },
  {
    part: 'PageActions',
    states: [
      {
        name: 'one is off',
        show: () => (
          <PageActions
            actions={[{ text: 'Cancel', rank: 'secondary', whyNot: 'The run has ended', onPick: nothing }]}
          />
        ),
      },
    ],
  },
  {
    part: 'Card',
    states: [
      {
        name: 'with an action',
        show: () => (
          <Card
            title="Recent runs"
            action={
              <Button isSmall kind="quiet">
                All runs
              </Button>
            }
          >
            Content
          </Card>
        ),
      },
    ],
  },
  {
    part: 'Report',
    states: [
      {
        name: 'two cards',
        show: () => (
          <Report>
            <Card title="One">1</Card>
            <Card title="Two">2</Card>
          </Report>
        ),
      },
    ],
  },
  {
    part: 'Notice',
    states: [
      {
        name: 'tones',
        show: () =>
          (['info', 'warn', 'bad', 'mute'] as const).map((tone) => (
            <Notice key={tone} tone={tone} title={`A notice: ${tone}`}>
              What to know.
            </Notice>
          )),
      },
    ],
  },
  { part: 'Split', states: [{ name: 'closed', show: () => <Split>The list</Split> }] },
  {
    part: 'Dock',
    states: [
      {
        name: 'open',
        show: () => (
          <div style={{ position: 'relative', display: 'flex', height: 260, transform: 'translateZ(0)' }}>
            <Split
              dock={
                <Dock title="connect McpServer" lead={<StatusBadge state="denied" />} onClose={nothing}>
                  <DockFacts
                    facts={[
                      ['Actor', 'oncall@example.com'],
                      ['Resource', 'research/payments'],
                    ]}
                  />
                  <DockBody>Detail</DockBody>
                </Dock>
              }
            >
              The list
            </Split>
          </div>
        ),
      },
    ],
  },
  { part: 'DockFacts', states: [{ name: 'facts', show: () => <DockFacts facts={[['Id', '99117']]} /> }] },
  { part: 'DockBody', states: [{ name: 'content', show: () => <DockBody>Content</DockBody> }] },
  {
    part: 'Guide',
    states: [
      {
        name: 'one of three is done',
        show: () => (
          <Guide
            title="First steps"
            onDismiss={nothing}
            steps={[
              {
                title: 'Connect a model',
                hint: 'A key of a provider, or a local model.',
                isDone: true,
                action: 'Connect',
              },
              {
                title: 'Create an agent',
                hint: 'From a recipe.',
                isDone: false,
                action: <Button isSmall>Create</Button>,
              },
              {
                title: 'Talk to it',
                hint: 'Its trace stands beside the talk.',
                isDone: false,
                action: <Button isSmall>Open</Button>,
              },
            ]}
          />
        ),
      },
    ],
  },
]
