import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { consentText as text } from './text.ts'

/** The way to the consent that a run waits for; without a known page, who can give it. */
export function ConsentWay({ to }: { readonly to: string | undefined }) {
  if (to === undefined) return <p className="dim">{text.elsewhere}</p>
  return (
    <ButtonLink kind="primary" icon="key" to={to}>
      {text.grant}
    </ButtonLink>
  )
}
