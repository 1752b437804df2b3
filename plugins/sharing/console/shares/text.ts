/** The words of the page of shares, in English. */
export const sharesText = {
  title: 'Shares',
  empty: 'No shares',
  emptyDetail: 'A run that you share gets a link that needs no account; it is listed here until it ends.',
  note: 'Your shares, newest first',
  revoke: 'Revoke',
  revokeOf: (agent: string) => `Revoke the share of ${agent}`,
  revoked: 'The share was revoked; its link stopped working.',
  full: 'Full',
  none: 'Without content',
  of: (views: number, most: number | null) => (most === null ? String(views) : `${views} of ${most}`),
  columns: {
    run: 'Run',
    namespace: 'Namespace',
    shows: 'Shows',
    views: 'Views',
    created: 'Created',
    ends: 'Ends',
    action: 'Action',
  },
} as const
