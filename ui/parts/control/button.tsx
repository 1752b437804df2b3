import type { ComponentPropsWithRef, ReactNode } from 'react'
import { Icon } from '../icon/icon.tsx'
import type { IconName } from '../icon/icons.ts'
import styles from './button.module.css'

interface ButtonLooks {
  readonly kind?: 'primary' | 'default' | 'quiet' | 'danger'
  readonly icon?: IconName | undefined
  /** The icon follows the words, as an arrow to the next page does. */
  readonly isIconLast?: boolean
  readonly isSmall?: boolean
  /** The request of an earlier press is under way. */
  readonly isBusy?: boolean
  readonly children?: ReactNode
}

interface ButtonProps
  extends ButtonLooks, Omit<ComponentPropsWithRef<'button'>, 'type' | 'disabled' | 'className' | 'children'> {
  readonly isSubmit?: boolean
  /** Why the button does nothing; it stays in the order of the focus, so that the reason can be read. */
  readonly whyNot?: string | undefined
}

/** A button. Without children it needs `aria-label`. */
export function Button({ kind, icon, isIconLast, isSmall, isSubmit = false, isBusy = false, ...given }: ButtonProps) {
  const { whyNot, children, onClick, ...rest } = given
  const isOff = isBusy || whyNot !== undefined
  const names = ['button', kind ?? 'default', isSmall ? 'small' : '', children === undefined ? 'lone' : '']
  return (
    <button
      type={isSubmit && !isOff ? 'submit' : 'button'}
      className={names.map((name) => styles[name] ?? '').join(' ')}
      {...(isOff ? { 'aria-disabled': true } : {})}
      {...(whyNot === undefined ? {} : { 'data-tip': whyNot, 'aria-description': whyNot })}
      {...(isBusy ? { 'aria-busy': true } : {})}
      {...(isOff || onClick === undefined ? {} : { onClick })}
      {...rest}
    >
      <ButtonContent {...{ icon, isIconLast: isIconLast ?? false, isSmall: isSmall ?? false, isBusy, children }} />
    </button>
  )
}

function ButtonContent({ icon, isIconLast = false, isSmall = false, isBusy = false, children }: ButtonLooks) {
  const size = isSmall ? 14 : 15
  const drawn = icon === undefined ? undefined : <Icon name={icon} size={size} stroke={1.9} />
  const sign = isBusy ? <Icon name="turning" size={size} className={styles['busy']} /> : drawn
  return (
    <>
      {isIconLast ? undefined : sign}
      {children}
      {isIconLast ? sign : undefined}
    </>
  )
}

/** A key of the keyboard. */
export function Key({ children }: { readonly children: ReactNode }) {
  return <kbd className={styles['key']}>{children}</kbd>
}
