import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../control/button.tsx'
import type { PartStates } from '../part-states.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Dialog } from './dialog.tsx'
import { Menu } from './menu.tsx'
import { Popover } from './popover.tsx'
import { showToast } from './toast-store.ts'
import { Toast, Toasts } from './toasts.tsx'

const nothing = (): void => undefined

interface OpenedProps {
  readonly name: string
  readonly children: (close: () => void) => ReactNode
}

/** A button that opens an overlay. */
function Opened({ name, children }: OpenedProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{name}</Button>
      {isOpen ? children(() => setOpen(false)) : undefined}
    </>
  )
}

/** States of the parts of this folder. */
export const overlayStates: readonly PartStates[] = [
  {
    part: 'Menu',
    states: [
      {
        name: 'actions and a choice',
        show: () => (
          <Menu
            label="Actions"
            trigger={(props) => <Button {...props}>Open the menu</Button>}
            entries={[
              { kind: 'label', text: 'Theme' },
              { kind: 'item', text: 'Light', icon: 'sun', isChosen: true, onPick: nothing },
              { kind: 'item', text: 'Dark', icon: 'moon', isChosen: false, onPick: nothing },
              { kind: 'line' },
              { kind: 'item', text: 'Delete', isDanger: true, onPick: nothing },
            ]}
          />
        ),
      },
    ],
  },
  {
    part: 'Popover',
    states: [
      {
        name: 'closed',
        show: () => (
          <Popover
            label="Details"
            trigger={(props) => (
              <button type="button" {...props}>
                Details
              </button>
            )}
          >
            {() => 'Content'}
          </Popover>
        ),
      },
    ],
  },
  {
    part: 'Dialog',
    states: [
      {
        name: 'plain',
        show: () => (
          <Opened name="Open the dialog">
            {(close) => (
              <Dialog title="A dialog" onClose={close}>
                Its content.
              </Dialog>
            )}
          </Opened>
        ),
      },
    ],
  },
  {
    part: 'ConfirmDialog',
    states: [
      {
        name: 'plain',
        show: () => (
          <Opened name="Roll back">
            {(close) => (
              <ConfirmDialog
                title="Roll back to r13?"
                effects={['2 replicas restart', 'r14 stays in the list']}
                action="Roll back"
                onConfirm={close}
                onClose={close}
              />
            )}
          </Opened>
        ),
      },
      {
        name: 'type to confirm',
        show: () => (
          <Opened name="Delete">
            {(close) => (
              <ConfirmDialog
                title="Delete triage?"
                effects={['3 teams name it']}
                action="Delete"
                typed="triage"
                isDanger
                onConfirm={close}
                onClose={close}
              />
            )}
          </Opened>
        ),
      },
    ],
  },
  {
    part: 'Toast',
    states: [
      {
        name: 'done, with undo',
        show: () => (
          <Toast
            toast={{ id: 1, kind: 'done', message: 'The alert was dismissed', onUndo: nothing }}
            onClose={nothing}
          />
        ),
      },
      {
        name: 'failed',
        show: () => (
          <Toast toast={{ id: 2, kind: 'failed', message: 'The share could not be revoked' }} onClose={nothing} />
        ),
      },
    ],
  },
  {
    part: 'Toasts',
    states: [
      {
        name: 'shown by a button',
        show: () => (
          <>
            <Button onClick={() => showToast({ kind: 'failed', message: 'It failed' })}>Show a toast</Button>
            <Toasts />
          </>
        ),
      },
    ],
  },
]
