import { text } from '../../text/en.ts'
import { toShortId } from '../format/names.ts'
import { Icon } from '../icon/icon.tsx'
import { useCopy } from './use-copy.ts'
import styles from './value.module.css'

/** The first figures of an id; a press copies all of it. */
export function IdCopy({ id }: { readonly id: string }) {
  const [isCopied, copy] = useCopy()
  const shown = toShortId(id)
  return (
    <button
      type="button"
      className={`mono ${styles['id']}`}
      // The name begins with what is seen, so that people who speak their commands can say it.
      aria-label={isCopied ? text.copy.idCopied(shown) : text.copy.id(shown)}
      data-tip={id}
      onClick={(event) => {
        event.stopPropagation()
        copy(id)
      }}
    >
      {shown}
      <Icon name={isCopied ? 'check' : 'copy'} size={12} />
    </button>
  )
}
