import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import type { IconName } from '../icon/icons.ts'
import { Menu } from '../overlay/menu.tsx'
import { useNarrow } from './use-narrow.ts'

/** Something that can be done on a page. At most one is primary. */
export interface PageAction {
  readonly text: string
  readonly icon?: IconName
  readonly rank: 'primary' | 'secondary' | 'menu'
  readonly isDanger?: boolean
  readonly whyNot?: string | undefined
  readonly onPick: () => void
}

/** The actions of a page: buttons, and a menu of the others. On a phone all but the primary one are in the menu. */
export function PageActions({ actions }: { readonly actions: readonly PageAction[] }) {
  const isNarrow = useNarrow()
  const isInMenu = ({ rank }: PageAction): boolean => rank === 'menu' || (isNarrow && rank === 'secondary')
  const hidden = actions.filter(isInMenu)
  return (
    <>
      {actions
        .filter((action) => !isInMenu(action))
        .map(({ text: words, icon, rank, whyNot, onPick }) => (
          <Button
            key={words}
            kind={rank === 'primary' ? 'primary' : 'default'}
            icon={icon}
            whyNot={whyNot}
            onClick={onPick}
          >
            {words}
          </Button>
        ))}
      {hidden.length === 0 ? undefined : (
        <Menu
          label={text.shell.moreActions}
          align="end"
          trigger={(props) => <Button {...props} kind="quiet" icon="more" aria-label={text.shell.moreActions} />}
          entries={hidden.map(({ text: words, icon, isDanger, whyNot, onPick }) => ({
            kind: 'item',
            text: words,
            ...(icon === undefined ? {} : { icon }),
            isDanger: isDanger ?? false,
            whyNot,
            onPick,
          }))}
        />
      )}
    </>
  )
}
