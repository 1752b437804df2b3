import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { Menu } from '../overlay/menu.tsx'
import { useCopy } from '../value/use-copy.ts'
import { toCommand, toCurl } from './shell-words.ts'
import type { CopiedRequest } from './shell-words.ts'

interface CopyAsProps {
  /** The request that the page made. */
  readonly request: CopiedRequest
  /** Command line with the same effect, if there is one. */
  readonly kubectl?: readonly string[]
  readonly meshctl?: readonly string[]
}

/** Copies what the page shows as a command. */
export function CopyAs({ request, kubectl, meshctl }: CopyAsProps) {
  const [isCopied, copy] = useCopy()
  const commands: readonly (readonly [string, string])[] = [
    [text.copyAs.curl, toCurl(request, location.origin)],
    ...(kubectl === undefined ? [] : [[text.copyAs.kubectl, toCommand(kubectl)] as const]),
    ...(meshctl === undefined ? [] : [[text.copyAs.meshctl, toCommand(meshctl)] as const]),
  ]
  return (
    <Menu
      label={text.copyAs.label}
      align="end"
      trigger={(props) => (
        <Button {...props} icon={isCopied ? 'check' : 'copy'}>
          {isCopied ? text.copy.done : text.copyAs.label}
        </Button>
      )}
      entries={commands.map(([words, command]) => ({ kind: 'item', text: words, onPick: () => copy(command) }))}
    />
  )
}
