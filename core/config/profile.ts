/** The roles of a process; `all` runs each in a container of its own. */
export type Role = 'bff' | 'worker' | 'manager' | 'gateway' | 'state' | 'migrate'

/** The install profile; it sets defaults of switches, nothing else. */
export type Profile = 'open' | 'hardened'
