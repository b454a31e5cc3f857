/**
 * The zones of Joda-Time 2.14 and their names in Java 17: short and long name of standard time,
 * then those of summer time if they differ. A zone without a name is displayed as its offset; `a=b`
 * makes a an alias of the zone b. `test/judge/ZoneNames.java` generates this table.
 */
const table = `
: America/Coyhaique Etc/GMT+1 Etc/GMT+10 Etc/GMT+11 Etc/GMT+12 Etc/GMT+2 Etc/GMT+3 Etc/GMT+4
  Etc/GMT+5 Etc/GMT+6 Etc/GMT+7 Etc/GMT+8 Etc/GMT+9 Etc/GMT-1 Etc/GMT-10 Etc/GMT-11 Etc/GMT-12
  Etc/GMT-13 Etc/GMT-14 Etc/GMT-2 Etc/GMT-3 Etc/GMT-4 Etc/GMT-5 Etc/GMT-6 Etc/GMT-7 Etc/GMT-8
  Etc/GMT-9
ACST,Australian Central Standard Time: Australia/Darwin Australia/North=Australia/Darwin
ACST,Australian Central Standard Time,ACDT,Australian Central Daylight Time: Australia/Adelaide
  Australia/Broken_Hill Australia/South=Australia/Adelaide
  Australia/Yancowinna=Australia/Broken_Hill
ACT,Acre Standard Time: America/Eirunepe America/Porto_Acre=America/Rio_Branco America/Rio_Branco
  Brazil/Acre=America/Rio_Branco
ACWST,Australian Central Western Standard Time,ACWDT,Australian Central Western Daylight Time:
  Australia/Eucla
AEST,Australian Eastern Standard Time: Australia/Brisbane Australia/Lindeman
  Australia/Queensland=Australia/Brisbane
AEST,Australian Eastern Standard Time,AEDT,Australian Eastern Daylight Time: Antarctica/Macquarie
  Australia/ACT=Australia/Sydney Australia/Canberra=Australia/Sydney
  Australia/Currie=Australia/Hobart Australia/Hobart Australia/Melbourne
  Australia/NSW=Australia/Sydney Australia/Sydney Australia/Tasmania=Australia/Hobart
  Australia/Victoria=Australia/Melbourne
AFT,Afghanistan Time: Asia/Kabul
AKST,Alaska Standard Time,AKDT,Alaska Daylight Time: America/Anchorage America/Juneau
  America/Metlakatla America/Nome America/Sitka America/Yakutat US/Alaska=America/Anchorage
ALMT,East Kazakhstan Time: Asia/Almaty
AMT,Amazon Standard Time: America/Boa_Vista America/Manaus America/Porto_Velho
  Brazil/West=America/Manaus
AMT,Amazon Standard Time,AMST,Amazon Summer Time: America/Campo_Grande America/Cuiaba
AMT,Armenia Standard Time,AMST,Armenia Summer Time: Asia/Yerevan
ANAT,Anadyr Standard Time,ANAST,Anadyr Summer Time: Asia/Anadyr
AQTT,West Kazakhstan Time: Asia/Aqtau Asia/Aqtobe
ART,Argentina Standard Time,ARST,Argentina Summer Time: America/Argentina/Buenos_Aires
  America/Argentina/Catamarca America/Argentina/ComodRivadavia=America/Argentina/Catamarca
  America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/La_Rioja
  America/Argentina/Mendoza America/Argentina/Rio_Gallegos America/Argentina/Salta
  America/Argentina/San_Juan America/Argentina/San_Luis America/Argentina/Tucuman
  America/Argentina/Ushuaia America/Buenos_Aires=America/Argentina/Buenos_Aires
  America/Catamarca=America/Argentina/Catamarca America/Cordoba=America/Argentina/Cordoba
  America/Jujuy=America/Argentina/Jujuy America/Mendoza=America/Argentina/Mendoza
  America/Rosario=America/Argentina/Cordoba
AST,Arabian Standard Time: Asia/Aden Asia/Bahrain Asia/Kuwait Asia/Qatar Asia/Riyadh
AST,Arabian Standard Time,ADT,Arabian Daylight Time: Asia/Baghdad
AST,Atlantic Standard Time: America/Anguilla America/Antigua America/Aruba America/Barbados
  America/Blanc-Sablon America/Curacao America/Dominica America/Grenada America/Guadeloupe
  America/Kralendijk America/Lower_Princes America/Marigot America/Martinique America/Montserrat
  America/Port_of_Spain America/Puerto_Rico America/Santo_Domingo America/St_Barthelemy
  America/St_Kitts America/St_Lucia America/St_Thomas America/St_Vincent America/Tortola
  America/Virgin=America/St_Thomas
AST,Atlantic Standard Time,ADT,Atlantic Daylight Time: America/Glace_Bay America/Goose_Bay
  America/Halifax America/Moncton America/Thule Atlantic/Bermuda Canada/Atlantic=America/Halifax
AWST,Australian Western Standard Time,AWDT,Australian Western Daylight Time: Australia/Perth
  Australia/West=Australia/Perth
AWST,Casey Time: Antarctica/Casey
AZOT,Azores Standard Time,AZOST,Azores Summer Time: Atlantic/Azores
AZT,Azerbaijan Standard Time,AZST,Azerbaijan Summer Time: Asia/Baku
BDT,Bangladesh Standard Time,BDST,Bangladesh Summer Time: Asia/Dacca=Asia/Dhaka Asia/Dhaka
BNT,Brunei Darussalam Time: Asia/Brunei
BOT,Bolivia Time: America/La_Paz
BRT,Brasilia Standard Time: America/Belem America/Fortaleza America/Maceio America/Recife
  America/Santarem
BRT,Brasilia Standard Time,BRST,Brasilia Summer Time: America/Araguaina America/Bahia
  America/Sao_Paulo Brazil/East=America/Sao_Paulo
BST,Bougainville Standard Time: Pacific/Bougainville
BTT,Bhutan Time: Asia/Thimbu=Asia/Thimphu Asia/Thimphu
CAT,Central Africa Time: Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare
  Africa/Juba Africa/Khartoum Africa/Kigali Africa/Lubumbashi Africa/Lusaka Africa/Maputo
CCT,Cocos Islands Time: Indian/Cocos
CET,Central European Standard Time: Africa/Algiers
CET,Central European Standard Time,CEST,Central European Summer Time: Africa/Ceuta Africa/Tunis
  Arctic/Longyearbyen Atlantic/Jan_Mayen=Europe/Oslo Europe/Amsterdam Europe/Andorra
  Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Budapest Europe/Busingen
  Europe/Copenhagen Europe/Gibraltar Europe/Ljubljana Europe/Luxembourg Europe/Madrid Europe/Malta
  Europe/Monaco Europe/Oslo Europe/Paris Europe/Podgorica Europe/Prague Europe/Rome
  Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Tirane Europe/Vaduz
  Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich Poland=Europe/Warsaw
CET,Central European Time,CEST,Central European Summer Time: CET MET=CET
CHAST,Chatham Standard Time,CHADT,Chatham Daylight Time: NZ-CHAT=Pacific/Chatham Pacific/Chatham
CHUT,Chuuk Time: Pacific/Chuuk Pacific/Truk=Pacific/Chuuk Pacific/Yap=Pacific/Chuuk
CKT,Cook Islands Standard Time: Pacific/Rarotonga
CLT,Chile Standard Time,CLST,Chile Summer Time: America/Santiago
  Chile/Continental=America/Santiago
CLT,Chile Time,CLST,Chile Summer Time: Antarctica/Palmer
COT,Colombia Standard Time: America/Bogota
CST,Central Standard Time: America/Belize America/Costa_Rica America/El_Salvador America/Regina
  America/Swift_Current Canada/Saskatchewan=America/Regina
CST,Central Standard Time,CDT,Central Daylight Time: America/Bahia_Banderas America/Chicago
  America/Chihuahua America/Guatemala America/Indiana/Knox America/Indiana/Tell_City
  America/Knox_IN=America/Indiana/Knox America/Managua America/Matamoros America/Menominee
  America/Merida America/Mexico_City America/Monterrey America/North_Dakota/Beulah
  America/North_Dakota/Center America/North_Dakota/New_Salem America/Ojinaga
  America/Rainy_River=America/Winnipeg America/Rankin_Inlet America/Resolute America/Tegucigalpa
  America/Winnipeg CST6CDT=America/Chicago Canada/Central=America/Winnipeg
  Mexico/General=America/Mexico_City US/Central=America/Chicago
  US/Indiana-Starke=America/Indiana/Knox
CST,China Standard Time: Asia/Chongqing=Asia/Shanghai Asia/Chungking=Asia/Shanghai
  Asia/Harbin=Asia/Shanghai Asia/Macao=Asia/Macau Asia/Macau Asia/Shanghai PRC=Asia/Shanghai
CST,Cuba Standard Time,CDT,Cuba Daylight Time: America/Havana Cuba=America/Havana
CST,Taipei Standard Time: Asia/Taipei ROC=Asia/Taipei
CVT,Cape Verde Standard Time: Atlantic/Cape_Verde
CXT,Christmas Island Time: Indian/Christmas
ChST,Chamorro Standard Time: Pacific/Guam Pacific/Saipan
DAVT,Davis Time: Antarctica/Davis
DDUT,Dumont-d’Urville Time: Antarctica/DumontDUrville
EAST,Easter Island Standard Time,EASST,Easter Island Summer Time:
  Chile/EasterIsland=Pacific/Easter Pacific/Easter
EAT,East Africa Time: Africa/Addis_Ababa Africa/Asmara Africa/Asmera=Africa/Asmara
  Africa/Dar_es_Salaam Africa/Djibouti Africa/Kampala Africa/Mogadishu Africa/Nairobi
  Indian/Antananarivo Indian/Comoro Indian/Mayotte
ECT,Ecuador Time: America/Guayaquil
EET,Eastern European Standard Time,EEST,Eastern European Summer Time: Africa/Cairo Africa/Tripoli
  Asia/Amman Asia/Beirut Asia/Damascus Asia/Gaza Asia/Hebron Asia/Nicosia Egypt=Africa/Cairo
  Europe/Athens Europe/Bucharest Europe/Chisinau Europe/Helsinki Europe/Kaliningrad
  Europe/Kiev=Europe/Kyiv Europe/Kyiv Europe/Mariehamn Europe/Nicosia=Asia/Nicosia Europe/Riga
  Europe/Sofia Europe/Tallinn Europe/Tiraspol=Europe/Chisinau Europe/Uzhgorod=Europe/Kyiv
  Europe/Vilnius Europe/Zaporozhye=Europe/Kyiv Libya=Africa/Tripoli
EET,Eastern European Time,EEST,Eastern European Summer Time: Asia/Famagusta EET
EGT,East Greenland Standard Time,EGST,East Greenland Summer Time: America/Scoresbysund
EST,Eastern Standard Time: America/Atikokan America/Cayman America/Coral_Harbour=America/Atikokan
  America/Jamaica America/Panama EST=America/Panama Jamaica=America/Jamaica
EST,Eastern Standard Time,EDT,Eastern Daylight Time: America/Cancun America/Detroit
  America/Fort_Wayne=America/Indiana/Indianapolis America/Grand_Turk America/Indiana/Indianapolis
  America/Indiana/Marengo America/Indiana/Petersburg America/Indiana/Vevay
  America/Indiana/Vincennes America/Indiana/Winamac
  America/Indianapolis=America/Indiana/Indianapolis America/Iqaluit America/Kentucky/Louisville
  America/Kentucky/Monticello America/Louisville=America/Kentucky/Louisville
  America/Montreal=America/Toronto America/Nassau America/New_York America/Nipigon=America/Toronto
  America/Pangnirtung=America/Iqaluit America/Port-au-Prince America/Thunder_Bay=America/Toronto
  America/Toronto Canada/Eastern=America/Toronto EST5EDT=America/New_York
  US/East-Indiana=America/Indiana/Indianapolis US/Eastern=America/New_York
  US/Michigan=America/Detroit
FJT,Fiji Standard Time,FJST,Fiji Summer Time: Pacific/Fiji
FKT,Falkland Islands Standard Time,FKST,Falkland Islands Summer Time: Atlantic/Stanley
FNT,Fernando de Noronha Standard Time: America/Noronha Brazil/DeNoronha=America/Noronha
GALT,Galapagos Time: Pacific/Galapagos
GAMT,Gambier Time: Pacific/Gambier
GET,Georgia Standard Time: Asia/Tbilisi
GFT,French Guiana Time: America/Cayenne
GILT,Gilbert Islands Time: Pacific/Tarawa
GMT+04:00,Astrakhan Standard Time: Europe/Astrakhan
GMT+04:00,Saratov Standard Time: Europe/Saratov
GMT+04:00,Ulyanovsk Standard Time: Europe/Ulyanovsk
GMT+05:00,West Kazakhstan Time: Asia/Atyrau
GMT+07:00,Barnaul Standard Time,GMT+07:00,Barnaul Daylight Time: Asia/Barnaul
GMT+07:00,Tomsk Standard Time,GMT+07:00,Tomsk Daylight Time: Asia/Tomsk
GMT+13:00,Kanton Standard Time: Pacific/Enderbury=Pacific/Kanton Pacific/Kanton
GMT,Greenwich Mean Time: Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau
  Africa/Conakry Africa/Dakar Africa/Freetown Africa/Lome Africa/Monrovia Africa/Nouakchott
  Africa/Ouagadougou Africa/Sao_Tome Africa/Timbuktu=Africa/Bamako America/Danmarkshavn
  Atlantic/Reykjavik Atlantic/St_Helena Etc/GMT Etc/GMT+0=Etc/GMT Etc/GMT-0=Etc/GMT
  Etc/GMT0=Etc/GMT Etc/Greenwich=Etc/GMT GMT=Etc/GMT GMT+0=Etc/GMT GMT-0=Etc/GMT GMT0=Etc/GMT
  Greenwich=Etc/GMT Iceland=Atlantic/Reykjavik
GMT,Greenwich Mean Time,BST,British Summer Time: Europe/Belfast=Europe/London Europe/Guernsey
  Europe/Isle_of_Man Europe/Jersey Europe/London GB=Europe/London GB-Eire=Europe/London
GMT,Greenwich Mean Time,CEST,Central European Summer Time: Antarctica/Troll
GMT,Greenwich Mean Time,IST,Irish Standard Time: Eire=Europe/Dublin Europe/Dublin
GMT-03:00,Punta Arenas Standard Time: America/Punta_Arenas
GST,Gulf Standard Time: Asia/Dubai Asia/Muscat
GST,South Georgia Time: Atlantic/South_Georgia
GYT,Guyana Time: America/Guyana
HAST,Hawaii-Aleutian Standard Time,HADT,Hawaii-Aleutian Daylight Time: America/Adak
  America/Atka=America/Adak US/Aleutian=America/Adak
HKT,Hong Kong Standard Time: Asia/Hong_Kong Hongkong=Asia/Hong_Kong
HOVT,Hovd Standard Time,HOVST,Hovd Summer Time: Asia/Hovd
HST,Hawaii-Aleutian Standard Time: HST=Pacific/Honolulu Pacific/Honolulu
  Pacific/Johnston=Pacific/Honolulu US/Hawaii=Pacific/Honolulu
ICT,Indochina Time: Asia/Bangkok Asia/Ho_Chi_Minh Asia/Phnom_Penh Asia/Saigon=Asia/Ho_Chi_Minh
  Asia/Vientiane
IOT,Indian Ocean Time: Indian/Chagos
IRKT,Irkutsk Standard Time,IRKST,Irkutsk Summer Time: Asia/Irkutsk
IRST,Iran Standard Time,IRDT,Iran Daylight Time: Asia/Tehran Iran=Asia/Tehran
IST,India Standard Time: Asia/Calcutta=Asia/Kolkata Asia/Colombo Asia/Kolkata
IST,Israel Standard Time,IDT,Israel Daylight Time: Asia/Jerusalem Asia/Tel_Aviv=Asia/Jerusalem
  Israel=Asia/Jerusalem
JST,Japan Standard Time: Asia/Tokyo Japan=Asia/Tokyo
KGT,Kyrgyzstan Time,KGST,Kirgizstan Summer Time: Asia/Bishkek
KOST,Kosrae Time: Pacific/Kosrae
KRAT,Krasnoyarsk Standard Time,KRAST,Krasnoyarsk Summer Time: Asia/Krasnoyarsk Asia/Novokuznetsk
KST,Korean Standard Time: Asia/Pyongyang Asia/Seoul ROK=Asia/Seoul
LHST,Lord Howe Standard Time,LHDT,Lord Howe Daylight Time: Australia/LHI=Australia/Lord_Howe
  Australia/Lord_Howe
LINT,Line Islands Time: Pacific/Kiritimati
MAGT,Magadan Standard Time,MAGST,Magadan Summer Time: Asia/Magadan
MART,Marquesas Time: Pacific/Marquesas
MAWT,Mawson Time: Antarctica/Mawson
MHT,Marshall Islands Time: Kwajalein=Pacific/Kwajalein Pacific/Kwajalein Pacific/Majuro
MMT,Myanmar Time: Asia/Rangoon=Asia/Yangon Asia/Yangon
MSK,Moscow Standard Time,MSD,Moscow Daylight Time: Europe/Kirov
MSK,Moscow Standard Time,MSD,Moscow Summer Time: Europe/Minsk Europe/Moscow Europe/Simferopol
  W-SU=Europe/Moscow
MSK,Volgograd Standard Time,MSD,Volgograd Summer Time: Europe/Volgograd
MST,Mexican Pacific Standard Time: America/Hermosillo
MST,Mexican Pacific Standard Time,MDT,Mexican Pacific Daylight Time: America/Mazatlan
  Mexico/BajaSur=America/Mazatlan
MST,Mountain Standard Time: America/Creston America/Dawson_Creek America/Phoenix
  MST=America/Phoenix US/Arizona=America/Phoenix
MST,Mountain Standard Time,MDT,Mountain Daylight Time: America/Boise America/Cambridge_Bay
  America/Ciudad_Juarez America/Dawson America/Denver America/Edmonton America/Fort_Nelson
  America/Inuvik America/Shiprock=America/Denver America/Whitehorse
  America/Yellowknife=America/Edmonton Canada/Mountain=America/Edmonton
  Canada/Yukon=America/Whitehorse MST7MDT=America/Denver Navajo=America/Denver
  US/Mountain=America/Denver
MUT,Mauritius Standard Time,MUST,Mauritius Summer Time: Indian/Mauritius
MVT,Maldives Time: Indian/Maldives
MYT,Malaysia Time: Asia/Kuala_Lumpur Asia/Kuching
NCT,New Caledonia Standard Time: Pacific/Noumea
NFT,Norfolk Island Standard Time,NFST,Norfolk Island Daylight Time: Pacific/Norfolk
NOVT,Novosibirsk Standard Time,NOVST,Novosibirsk Summer Time: Asia/Novosibirsk
NPT,Nepal Time: Asia/Kathmandu Asia/Katmandu=Asia/Kathmandu
NRT,Nauru Time: Pacific/Nauru
NST,Newfoundland Standard Time,NDT,Newfoundland Daylight Time: America/St_Johns
  Canada/Newfoundland=America/St_Johns
NUT,Niue Time: Pacific/Niue
NZST,New Zealand Standard Time,NZDT,New Zealand Daylight Time: Antarctica/McMurdo
  Antarctica/South_Pole=Antarctica/McMurdo NZ=Pacific/Auckland Pacific/Auckland
OMST,Omsk Standard Time,OMSST,Omsk Summer Time: Asia/Omsk
ORAT,West Kazakhstan Time: Asia/Oral
PET,Peru Standard Time: America/Lima
PETT,Petropavlovsk-Kamchatski Standard Time,PETST,Petropavlovsk-Kamchatski Summer Time:
  Asia/Kamchatka
PGT,Papua New Guinea Time: Pacific/Port_Moresby
PKT,Pakistan Standard Time,PKST,Pakistan Summer Time: Asia/Karachi
PMST,St. Pierre & Miquelon Standard Time,PMDT,St. Pierre & Miquelon Daylight Time:
  America/Miquelon
PONT,Ponape Time: Pacific/Pohnpei Pacific/Ponape=Pacific/Pohnpei
PST,Pacific Standard Time,PDT,Pacific Daylight Time: America/Ensenada=America/Tijuana
  America/Los_Angeles America/Santa_Isabel=America/Tijuana America/Tijuana America/Vancouver
  Canada/Pacific=America/Vancouver Mexico/BajaNorte=America/Tijuana PST8PDT=America/Los_Angeles
  US/Pacific=America/Los_Angeles
PST,Philippine Standard Time: Asia/Manila
PST,Pitcairn Time: Pacific/Pitcairn
PWT,Palau Time: Pacific/Palau
PYT,Paraguay Standard Time,PYST,Paraguay Summer Time: America/Asuncion
QOST,East Kazakhstan Time: Asia/Qostanay
QYZT,West Kazakhstan Time: Asia/Qyzylorda
RET,Réunion Time: Indian/Reunion
ROTT,Rothera Time: Antarctica/Rothera
SAKT,Sakhalin Standard Time,SAKST,Sakhalin Summer Time: Asia/Sakhalin
SAMT,Samara Standard Time,SAMST,Samara Summer Time: Europe/Samara
SAST,South Africa Standard Time: Africa/Johannesburg Africa/Maseru Africa/Mbabane
SBT,Solomon Islands Time: Pacific/Guadalcanal
SCT,Seychelles Time: Indian/Mahe
SGT,Singapore Standard Time: Asia/Singapore Singapore=Asia/Singapore
SRET,Srednekolymsk Time,SREDT,Srednekolymsk Daylight Time: Asia/Srednekolymsk
SRT,Suriname Time: America/Paramaribo
SST,Samoa Standard Time: Pacific/Midway Pacific/Pago_Pago Pacific/Samoa=Pacific/Pago_Pago
  US/Samoa=Pacific/Pago_Pago
SYOT,Syowa Time: Antarctica/Syowa
TAHT,Tahiti Time: Pacific/Tahiti
TFT,French Southern & Antarctic Time: Indian/Kerguelen
TJT,Tajikistan Time: Asia/Dushanbe
TKT,Tokelau Time: Pacific/Fakaofo
TLT,East Timor Time: Asia/Dili
TMT,Turkmenistan Standard Time: Asia/Ashgabat Asia/Ashkhabad=Asia/Ashgabat
TOT,Tonga Standard Time,TOST,Tonga Summer Time: Pacific/Tongatapu
TRT,Turkey Time,TRST,Turkey Summer Time: Asia/Istanbul=Europe/Istanbul Europe/Istanbul
  Turkey=Europe/Istanbul
TVT,Tuvalu Time: Pacific/Funafuti
ULAT,Ulaanbaatar Standard Time,ULAST,Ulaanbaatar Summer Time: Asia/Choibalsan=Asia/Ulaanbaatar
  Asia/Ulaanbaatar Asia/Ulan_Bator=Asia/Ulaanbaatar
UTC,Coordinated Universal Time: Etc/UCT=Etc/UTC Etc/UTC Etc/Universal=Etc/UTC Etc/Zulu=Etc/UTC
  UCT=Etc/UTC UTC Universal=Etc/UTC Zulu=Etc/UTC
UYT,Uruguay Standard Time,UYST,Uruguay Summer Time: America/Montevideo
UZT,Uzbekistan Standard Time: Asia/Samarkand Asia/Tashkent
VET,Venezuela Time: America/Caracas
VLAT,Vladivostok Standard Time,VLAST,Vladivostok Summer Time: Asia/Ust-Nera Asia/Vladivostok
VOST,Vostok Time: Antarctica/Vostok
VUT,Vanuatu Standard Time: Pacific/Efate
WAKT,Wake Island Time: Pacific/Wake
WAT,West Africa Standard Time: Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa
  Africa/Lagos Africa/Libreville Africa/Luanda Africa/Malabo Africa/Ndjamena Africa/Niamey
  Africa/Porto-Novo
WAT,Western African Time: Africa/Windhoek
WEST,Western European Summer Time: Africa/Casablanca Africa/El_Aaiun
WET,Western European Standard Time,WEST,Western European Summer Time: Atlantic/Canary
  Atlantic/Faeroe=Atlantic/Faroe Atlantic/Faroe Atlantic/Madeira Europe/Lisbon
  Portugal=Europe/Lisbon
WET,Western European Time,WEST,Western European Summer Time: WET
WFT,Wallis & Futuna Time: Pacific/Wallis
WGT,West Greenland Standard Time,WGST,West Greenland Summer Time: America/Godthab=America/Nuuk
  America/Nuuk
WIB,Western Indonesia Time: Asia/Jakarta Asia/Pontianak
WIT,Eastern Indonesia Time: Asia/Jayapura
WITA,Central Indonesia Time: Asia/Makassar Asia/Ujung_Pandang=Asia/Makassar
WSST,Apia Standard Time,WSDT,Apia Daylight Time: Pacific/Apia
XJT,Xinjiang Standard Time: Asia/Kashgar=Asia/Urumqi Asia/Urumqi
YAKT,Yakutsk Standard Time,YAKST,Yakutsk Summer Time: Asia/Chita Asia/Khandyga Asia/Yakutsk
YEKT,Yekaterinburg Standard Time,YEKST,Yekaterinburg Summer Time: Asia/Yekaterinburg
`;

/** The names of a zone in standard time and in summer time. */
export interface ZoneNames {
  /** The id that Joda-Time writes for the zone. */
  readonly id: string;
  readonly standard: ZoneName;
  readonly summer: ZoneName;
}

/**
 * For example `CET` and `Central European Standard Time`; undefined if the offset is displayed
 * instead.
 */
export type ZoneName = { readonly short: string; readonly long: string } | undefined;

/** The zones by each of their ids. */
export const zoneNames: ReadonlyMap<string, ZoneNames> = new Map(
  table
    .trim()
    .split(/\n(?! )/)
    .flatMap((line) => {
      const [names = '', ids = ''] = line.split(/:\s+/, 2);
      const [short, long, summerShort = short, summerLong = long] = names.split(',');
      const [standard, summer] = [nameOf(short, long), nameOf(summerShort, summerLong)];
      return ids.split(/\s+/).map((each): [string, ZoneNames] => {
        const [alias = '', id = alias] = each.split('=');
        return [alias, { id, standard, summer }];
      });
    }),
);

function nameOf(short: string | undefined, long: string | undefined): ZoneName {
  return short === undefined || long === undefined ? undefined : { short, long };
}
