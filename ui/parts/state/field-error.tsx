import { Icon } from '../icon/icon.tsx'
import styles from './field-error.module.css'

/** What is wrong with a field. The field names it by `aria-describedby`. */
export function FieldError({ id, children }: { readonly id: string; readonly children: string }) {
  return (
    <p id={id} className={styles['error']} role="alert" dir="auto">
      <Icon name="alert" size={13} />
      {children}
    </p>
  )
}
