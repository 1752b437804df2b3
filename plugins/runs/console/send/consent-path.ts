/** What of an interrupt says which consent it waits for. */
interface ConsentWait {
  readonly reason: string
  readonly consent?: { readonly namespace: string; readonly server: string }
}

/** The page that asks for the consent of a run; undefined if no server needs one. Built of names: an address that a launcher wrote is not followed. Pure. */
export function consentPath(run: string, { consent }: Pick<ConsentWait, 'consent'>): string | undefined {
  if (consent === undefined) return undefined
  const place = [consent.namespace, consent.server].map(encodeURIComponent).join('/')
  return `/consent/${place}?run=${encodeURIComponent(run)}`
}

/** Whether an interrupt waits for an access that only the person of the run can grant: an approval of another one does not help. */
export function waitsForConsent({ reason, consent }: ConsentWait): boolean {
  return reason === 'auth_required' || consent !== undefined
}
