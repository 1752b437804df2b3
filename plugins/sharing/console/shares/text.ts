import { plural } from '#ui/text/plural.ts'

const shareCount = (count: number): string => plural(count, 'share', 'shares')

/** The words of the page of shares, in English. */
export const sharesText = {
  title: 'Shares',
  empty: 'No shares',
  emptyDetail: 'A run that you share gets a link that needs no account; it is listed here until it ends.',
  note: 'Your shares, newest first',
  revoke: 'Revoke',
  revokeOf: (agent: string) => `Revoke the share of ${agent}`,
  revoked: 'The share was revoked; its link stopped working.',
  bulk: {
    title: (count: number) => `Revoke ${shareCount(count)}?`,
    action: (count: number) => `Revoke ${shareCount(count)}`,
    effects: ['Their links stop working at once. A link cannot be restored.', 'The runs stay.'],
    done: (count: number) => `${shareCount(count)} revoked.`,
  },
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
