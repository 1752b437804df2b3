import { useNavigate } from '@tanstack/react-router'
import { useKeys } from '../../parts/keys/use-keys.ts'
import { openOverlay, useOverlay } from '../../parts/page/shell-store.ts'
import { text } from '../../text/en.ts'
import { keyTargets } from '../navigation/key-targets.ts'
import type { NavigationSection } from '../navigation/navigation.ts'

/** The keys of the shell: search, the list of keys, and `g` with a letter for a page. */
export function ShellKeys({ sections }: { readonly sections: readonly NavigationSection[] }) {
  const navigate = useNavigate()
  const overlay = useOverlay()
  const open = (to: string) => (): void => {
    navigate({ to }).catch(() => undefined)
  }
  const pages = sections.flatMap((section) => section.pages.map(({ page }) => page))
  const targets = pages.flatMap(({ id, title, path }) => {
    const letter = keyTargets[id]
    return letter === undefined ? [] : [{ keys: `g ${letter}`, label: text.palette.goTo(title), run: open(path) }]
  })
  useKeys([
    { keys: 'Ctrl+k', label: text.keys.palette, run: () => openOverlay('palette') },
    { keys: '?', label: text.keys.list, run: () => openOverlay('keys') },
    ...targets,
    ...(overlay === 'navigation'
      ? [{ keys: 'Escape', label: text.keys.close, run: () => openOverlay(undefined) }]
      : []),
  ])
  return undefined
}
