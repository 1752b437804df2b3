import { useState } from 'react'
import type { ReactNode } from 'react'
import type { PartStates } from '../part-states.ts'
import { ButtonLink } from './button-link.tsx'
import { Button, Key } from './button.tsx'
import { SearchField } from './search-field.tsx'
import { Segmented } from './segmented.tsx'
import { Tabs } from './tabs.tsx'

interface HeldProps {
  readonly first: string
  readonly children: (value: string, set: (value: string) => void) => ReactNode
}

/** Holds the value of a control, as the address does on a page. */
function Held({ first, children }: HeldProps) {
  const [value, setValue] = useState(first)
  return children(value, setValue)
}

const options = ['All', 'Running', 'Failed'].map((label) => ({ value: label.toLowerCase(), label }))

/** States of the parts of this folder. */
export const controlStates: readonly PartStates[] = [
  {
    part: 'Button',
    states: [
      {
        name: 'kinds',
        show: () =>
          (['primary', 'default', 'quiet', 'danger'] as const).map((kind) => (
            <Button key={kind} kind={kind}>
              {kind}
            </Button>
          )),
      },
      { name: 'with icon', show: () => <Button icon="plus">New agent</Button> },
      {
        name: 'icon last',
        show: () => (
          <Button icon="forward" isIconLast>
            Older
          </Button>
        ),
      },
      { name: 'icon alone', show: () => <Button icon="more" aria-label="More" /> },
      {
        name: 'small',
        show: () => (
          <Button isSmall icon="refresh">
            Run again
          </Button>
        ),
      },
      {
        name: 'busy',
        show: () => (
          <Button isBusy icon="check">
            Approve
          </Button>
        ),
      },
      { name: 'off, with its reason', show: () => <Button whyNot="The run has ended">Cancel</Button> },
    ],
  },
  {
    part: 'Key',
    states: [{ name: 'keys', show: () => ['Ctrl K', '?', 'g'].map((key) => <Key key={key}>{key}</Key>) }],
  },
  {
    part: 'Segmented',
    states: [
      {
        name: 'one chosen',
        show: () => (
          <Held first="running">
            {(value, set) => <Segmented label="State" options={options} value={value} onChange={set} />}
          </Held>
        ),
      },
      {
        name: 'none chosen',
        show: () => <Segmented label="State of none" options={options} value="other" onChange={() => undefined} />,
      },
      {
        name: 'with icons',
        show: () => (
          <Segmented
            label="View"
            value="list"
            options={[
              { value: 'list', label: 'List', icon: 'list' },
              { value: 'graph', label: 'Graph', icon: 'sitemap' },
            ]}
            onChange={() => undefined}
          />
        ),
      },
    ],
  },
  {
    part: 'Tabs',
    states: [
      {
        name: 'three',
        show: () => (
          <Held first="all">
            {(value, set) => (
              <Tabs label="Runs" options={options} value={value} onChange={set}>
                {value}
              </Tabs>
            )}
          </Held>
        ),
      },
    ],
  },
  {
    part: 'ButtonLink',
    states: [
      { name: 'default', show: () => <ButtonLink to="/parts">Review</ButtonLink> },
      {
        name: 'primary',
        show: () => (
          <ButtonLink to="/parts" kind="primary" icon="plus">
            New agent
          </ButtonLink>
        ),
      },
      {
        name: 'small',
        show: () => (
          <ButtonLink to="/parts?a=1" isSmall>
            Open
          </ButtonLink>
        ),
      },
    ],
  },
  {
    part: 'SearchField',
    states: [
      {
        name: 'empty',
        show: () => <SearchField label="Run id, subject or label" value="" onChange={() => undefined} />,
      },
      { name: 'set', show: () => <SearchField label="Agent" value="refund" onChange={() => undefined} /> },
    ],
  },
]
