// One import each: the index of the package is 6,000 modules.
import IconActivity from '@tabler/icons-react/icons/IconActivity'
import IconAlertTriangle from '@tabler/icons-react/icons/IconAlertTriangle'
import IconArrowRight from '@tabler/icons-react/icons/IconArrowRight'
import IconArrowUp from '@tabler/icons-react/icons/IconArrowUp'
import IconBan from '@tabler/icons-react/icons/IconBan'
import IconBook2 from '@tabler/icons-react/icons/IconBook2'
import IconBox from '@tabler/icons-react/icons/IconBox'
import IconChartBar from '@tabler/icons-react/icons/IconChartBar'
import IconCheck from '@tabler/icons-react/icons/IconCheck'
import IconChevronDown from '@tabler/icons-react/icons/IconChevronDown'
import IconChevronLeft from '@tabler/icons-react/icons/IconChevronLeft'
import IconChevronRight from '@tabler/icons-react/icons/IconChevronRight'
import IconChevronUp from '@tabler/icons-react/icons/IconChevronUp'
import IconCircleDashed from '@tabler/icons-react/icons/IconCircleDashed'
import IconClipboardList from '@tabler/icons-react/icons/IconClipboardList'
import IconClock from '@tabler/icons-react/icons/IconClock'
import IconClockPause from '@tabler/icons-react/icons/IconClockPause'
import IconClockX from '@tabler/icons-react/icons/IconClockX'
import IconCoin from '@tabler/icons-react/icons/IconCoin'
import IconCopy from '@tabler/icons-react/icons/IconCopy'
import IconDatabase from '@tabler/icons-react/icons/IconDatabase'
import IconDeviceDesktop from '@tabler/icons-react/icons/IconDeviceDesktop'
import IconDownload from '@tabler/icons-react/icons/IconDownload'
import IconDots from '@tabler/icons-react/icons/IconDots'
import IconFlame from '@tabler/icons-react/icons/IconFlame'
import IconGauge from '@tabler/icons-react/icons/IconGauge'
import IconGitFork from '@tabler/icons-react/icons/IconGitFork'
import IconHome from '@tabler/icons-react/icons/IconHome'
import IconHourglassLow from '@tabler/icons-react/icons/IconHourglassLow'
import IconInbox from '@tabler/icons-react/icons/IconInbox'
import IconInfoCircle from '@tabler/icons-react/icons/IconInfoCircle'
import IconKey from '@tabler/icons-react/icons/IconKey'
import IconKeyboard from '@tabler/icons-react/icons/IconKeyboard'
import IconListDetails from '@tabler/icons-react/icons/IconListDetails'
import IconLoader2 from '@tabler/icons-react/icons/IconLoader2'
import IconLock from '@tabler/icons-react/icons/IconLock'
import IconLogout from '@tabler/icons-react/icons/IconLogout'
import IconArrowsMaximize from '@tabler/icons-react/icons/IconArrowsMaximize'
import IconMenu2 from '@tabler/icons-react/icons/IconMenu2'
import IconMessage2 from '@tabler/icons-react/icons/IconMessage2'
import IconMessageReport from '@tabler/icons-react/icons/IconMessageReport'
import IconMinus from '@tabler/icons-react/icons/IconMinus'
import IconMoon from '@tabler/icons-react/icons/IconMoon'
import IconPencil from '@tabler/icons-react/icons/IconPencil'
import IconPlayerPauseFilled from '@tabler/icons-react/icons/IconPlayerPauseFilled'
import IconPlayerStopFilled from '@tabler/icons-react/icons/IconPlayerStopFilled'
import IconPlugConnected from '@tabler/icons-react/icons/IconPlugConnected'
import IconPlus from '@tabler/icons-react/icons/IconPlus'
import IconRefresh from '@tabler/icons-react/icons/IconRefresh'
import IconRobot from '@tabler/icons-react/icons/IconRobot'
import IconRoute from '@tabler/icons-react/icons/IconRoute'
import IconScale from '@tabler/icons-react/icons/IconScale'
import IconSearch from '@tabler/icons-react/icons/IconSearch'
import IconSelector from '@tabler/icons-react/icons/IconSelector'
import IconServer from '@tabler/icons-react/icons/IconServer'
import IconSettings from '@tabler/icons-react/icons/IconSettings'
import IconShare3 from '@tabler/icons-react/icons/IconShare3'
import IconShieldCheck from '@tabler/icons-react/icons/IconShieldCheck'
import IconShieldX from '@tabler/icons-react/icons/IconShieldX'
import IconSitemap from '@tabler/icons-react/icons/IconSitemap'
import IconStack2 from '@tabler/icons-react/icons/IconStack2'
import IconSun from '@tabler/icons-react/icons/IconSun'
import IconTool from '@tabler/icons-react/icons/IconTool'
import IconTrash from '@tabler/icons-react/icons/IconTrash'
import IconUsers from '@tabler/icons-react/icons/IconUsers'
import IconUsersGroup from '@tabler/icons-react/icons/IconUsersGroup'
import IconWorld from '@tabler/icons-react/icons/IconWorld'
import IconX from '@tabler/icons-react/icons/IconX'

/** The icons of the console; a page of a plugin names one of them. */
export const icons = {
  activity: IconActivity,
  agent: IconBox,
  alert: IconAlertTriangle,
  approvals: IconInbox,
  arrow: IconArrowRight,
  audit: IconClipboardList,
  back: IconChevronLeft,
  barred: IconBan,
  bars: IconChartBar,
  bin: IconTrash,
  book: IconBook2,
  check: IconCheck,
  clock: IconClock,
  close: IconX,
  coin: IconCoin,
  copy: IconCopy,
  cross: IconX,
  dashed: IconCircleDashed,
  data: IconDatabase,
  desktop: IconDeviceDesktop,
  down: IconChevronDown,
  edit: IconPencil,
  download: IconDownload,
  expired: IconClockX,
  feedback: IconMessageReport,
  fit: IconArrowsMaximize,
  fork: IconGitFork,
  flame: IconFlame,
  forward: IconChevronRight,
  gauge: IconGauge,
  home: IconHome,
  hourglass: IconHourglassLow,
  info: IconInfoCircle,
  key: IconKey,
  keyboard: IconKeyboard,
  list: IconListDetails,
  lock: IconLock,
  menu: IconMenu2,
  message: IconMessage2,
  minus: IconMinus,
  moon: IconMoon,
  more: IconDots,
  paused: IconPlayerPauseFilled,
  person: IconUsers,
  plug: IconPlugConnected,
  plus: IconPlus,
  refresh: IconRefresh,
  robot: IconRobot,
  route: IconRoute,
  scale: IconScale,
  search: IconSearch,
  select: IconSelector,
  server: IconServer,
  settings: IconSettings,
  share: IconShare3,
  shield: IconShieldCheck,
  'shield-cross': IconShieldX,
  signOut: IconLogout,
  sitemap: IconSitemap,
  stack: IconStack2,
  stop: IconPlayerStopFilled,
  send: IconArrowUp,
  sun: IconSun,
  team: IconUsersGroup,
  tool: IconTool,
  turning: IconLoader2,
  up: IconChevronUp,
  waiting: IconClockPause,
  world: IconWorld,
} as const

/** Name of an icon. */
export type IconName = keyof typeof icons
