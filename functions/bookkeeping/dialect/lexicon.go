package dialect

import (
	"strings"
	"sync"
)

// synonyms lists the words of headers by role, rank and language. A smaller rank is preferred where a
// file has several columns of a role.
var synonyms = []struct {
	role     Role
	rank     int
	language string
	words    string // separated by bars
}{
	{Date, 1, "", "transaction date|date|completed date|date completed|txn date|trans date|trans. date|transaction_date|tran date|operation date|datetime|date/time|date time|created|transaction date and time|date of transaction|activity date"},
	{Date, 2, "", "booking date|posting date|posted date|post date|date posted|posted|entry date|booked|process date|processed date|effective date|settlement date|date processed|accounting date|bookingdate|booked date"},
	{Date, 4, "", "started date|date started|value date|valuedate|created at|created on|available on|payment date|value dt"},
	{Date, 1, "de", "buchungstag|buchungsdatum|buchung|datum|umsatzdatum|transaktionsdatum|belegdatum|buchungsdatum datum|buchungstext datum"},
	{Date, 3, "de", "valuta|valutadatum|wertstellung|wertstellungsdatum|valuta datum|wert"},
	{Date, 1, "nl", "boekingsdatum|transactiedatum|boekdatum"},
	{Date, 3, "nl", "rentedatum|valutadatum nl|interestdatum"},
	{Date, 1, "fr", "date operation|date de l'operation|date d'operation|date comptable|date de comptabilisation|dateop|date de transaction"},
	{Date, 3, "fr", "date valeur|date de valeur|dateval"},
	{Date, 1, "es", "fecha|fecha operacion|fecha de operacion|fecha contable|f. operacion|fecha mov|fecha movimiento|fecha de la operacion"},
	{Date, 3, "es", "fecha valor|f. valor|fecha de valor"},
	{Date, 1, "it", "data|data operazione|data contabile|data movimento|data registrazione|data di registrazione"},
	{Date, 3, "it", "data valuta|valuta data"},
	{Date, 1, "pt", "data mov|data movimento|data lancamento|data do lancamento|data de lancamento|data operacao|data da transacao"},
	{Date, 3, "pt", "data valor"},
	{Date, 1, "sv", "bokforingsdag|bokforingsdatum|transaktionsdag|bokford|bokforingsdato|reskontradatum"},
	{Date, 3, "sv", "valutadag"},
	{Date, 1, "da", "dato|bogforingsdato|bokforingsdato|bokfort|bokfort dato|utfort dato"},
	{Date, 3, "da", "rentedato|valordato"},
	{Date, 1, "pl", "data operacji|data transakcji|data ksiegowania|data zaksiegowania"},
	{Date, 3, "pl", "data waluty"},
	{Date, 1, "fi", "kirjauspaiva|paivamaara|kirjauspvm|maksupaiva"},
	{Date, 3, "fi", "arvopaiva"},
	{Date, 1, "cs", "datum zauctovani|datum provedeni|datum splatnosti"},

	{Description, 1, "", "description|transaction description|narrative|details|transaction details|particulars|transaction|original description|statement description|transaction narrative|text|desc|remarks|title|item|memo/description|booking text|transaction info"},
	{Description, 2, "", "bank description|extended details|merchant name|statement details|simple description"},
	{Payee, 1, "", "payee|name|merchant|counterparty|counterparty name|payee name|payer/payee|recipient|beneficiary|vendor|payee/payer|counter party|customer|name/description|partner name|sender or recipient|counterparty_name|payment to/from"},
	{Payee, 2, "", "payer name|payer|partner|creditor name|debtor name|beneficiary name|sender"},
	{Memo, 1, "", "memo|reference|payment reference|note|notes|comment|comments|message|additional information|remittance information|details of payment|communication|payment details|purpose|customer reference|transaction reference details"},
	{Description, 1, "de", "verwendungszweck|buchungsdetails|umsatztext|beschreibung|buchungsinformationen|zahlungszweck|bezeichnung|betreff|buchungshinweis"},
	{Type, 1, "de", "buchungstext|umsatzart|buchungsart|vorgang|umsatztyp|vorgang/verwendungszweck|transaktionstyp"},
	{Payee, 1, "de", "beguenstigter/zahlungspflichtiger|auftraggeber/empfanger|auftraggeber / begunstigter|auftraggeber/zahlungsempfanger|name zahlungsbeteiligter|empfanger|zahlungsempfanger*in|zahlungsempfanger|empfanger/zahlungspflichtiger|begunstigter / auftraggeber|auftraggeber / empfanger|beguenstigter|zahlungspartner|partnername|empfanger/auftraggeber|auftraggeber|handler|gegenpartei|name des partners"},
	{Payee, 2, "de", "zahlungspflichtige*r|zahlungspflichtiger"},
	{Description, 1, "nl", "omschrijving|mededelingen|omschrijving-1|mededeling|beschrijving"},
	{Payee, 1, "nl", "naam / omschrijving|naam tegenpartij|naam|tegenpartij|naam tegenrekening|naam/omschrijving"},
	{Description, 1, "fr", "libelle|libelle operation|libelle de l'operation|nature de l'operation|libelle simplifie|intitule|designation|detail de l'ecriture|detail|operation|motif|libelle complet"},
	{Description, 1, "es", "concepto|descripcion|movimiento|detalle|observaciones concepto|concepto ampliado"},
	{Memo, 1, "es", "observaciones|mas datos|informacion adicional"},
	{Description, 1, "it", "descrizione|causale|descrizione operazione|operazione|descrizione estesa|dettagli"},
	{Description, 1, "pt", "descricao|historico|descritivo|lancamento|descricao da operacao"},
	{Description, 1, "sv", "text/mottagare|beskrivning|rubrik|specifikation|transaktionstext|meddelande"},
	{Description, 1, "da", "tekst|forklaring|beskrivelse|posteringstekst|transaktionstekst"},
	{Description, 1, "pl", "opis|opis operacji|tytul|tytulem|opis transakcji|szczegoly transakcji"},
	{Payee, 1, "pl", "nadawca/odbiorca|nadawca / odbiorca|kontrahent|dane kontrahenta|odbiorca"},
	{Description, 1, "fi", "selitys|viesti|tapahtuma"},
	{Payee, 1, "fi", "saaja/maksaja|saaja|maksaja"},
	{Description, 1, "cs", "popis|zprava|zprava pro prijemce|poznamka"},

	{Amount, 1, "", "amount|transaction amount|amt|value|amount (signed)|amount (total)|total collected|billing amount|signed amount|amount in account currency|local amount|money|gross|gross amount|sum|booked amount|account amount|amount of transaction|trans amount|billed amount"},
	{Amount, 1, "de", "betrag|umsatz|betrag in kontowahrung|wert betrag|umsatz in|gesamtbetrag"},
	{Amount, 1, "nl", "bedrag|transactiebedrag"},
	{Amount, 1, "fr", "montant|montant de l'operation|montant operation"},
	{Amount, 1, "es", "importe|importe movimiento|monto|cantidad|importe de la operacion"},
	{Amount, 1, "it", "importo|importo operazione"},
	{Amount, 1, "pt", "valor|montante|importancia"},
	{Amount, 1, "sv", "belopp"},
	{Amount, 1, "da", "belob|belop|belob i kr"},
	{Amount, 1, "pl", "kwota|kwota operacji|kwota transakcji|kwota w walucie rachunku"},
	{Amount, 1, "fi", "maara|summa|euroa|maara euroa"},
	{Amount, 1, "cs", "castka|objem"},

	{Debit, 1, "", "debit|debit amount|withdrawal|withdrawals|withdrawal amount|debits|out|payments|amount debit|payment amount|spent|debit amt|dr|dr amount|outflow|withdrawal (dr)|withdrawals (dr)|charge|charges|expense|debit value|amount out|debit(out)"},
	{Credit, 1, "", "credit|credit amount|deposit|deposits|deposit amount|credits|in|receipts|amount credit|received|credit amt|cr|cr amount|inflow|deposit (cr)|deposits (cr)|income|credit value|amount in|credit(in)|lodgement|lodgements"},
	{Debit, 1, "en-gb", "paid out|money out|paid out (gbp)|cheque amount"},
	{Credit, 1, "en-gb", "paid in|money in|paid in (gbp)"},
	{Ignored, 1, "en-gb", "sort code"},
	{Debit, 1, "en-in", "withdrawal amt|withdrawal amount (inr )|withdrawal amount (inr)"},
	{Credit, 1, "en-in", "deposit amt|deposit amount (inr )|deposit amount (inr)"},
	{Description, 1, "en-in", "narration|transaction remarks"},
	{Debit, 1, "de", "soll|belastung|ausgang|lastschrift|belastungen|ausgaben|auszahlung|belastungsbetrag"},
	{Credit, 1, "de", "haben|gutschrift|eingang|gutschriften|einnahmen|einzahlung|gutschriftsbetrag"},
	{Debit, 1, "nl", "bedrag af|uit|afschrijving"},
	{Credit, 1, "nl", "bedrag bij|bijschrijving"},
	{Debit, 1, "fr", "debit|montant debit|debit euros|depense|depenses|sortie"},
	{Credit, 1, "fr", "credit|montant credit|credit euros|recette|recettes|entree"},
	{Debit, 1, "es", "cargo|cargos|debe|debito|retiro|retiros|debitos|gasto"},
	{Credit, 1, "es", "abono|abonos|haber|credito|deposito|depositos|creditos|ingreso"},
	{Debit, 1, "it", "dare|addebiti|uscite|addebito|uscita"},
	{Credit, 1, "it", "avere|accrediti|entrate|accredito|entrata"},
	{Debit, 1, "pt", "debito|saida|saidas"},
	{Credit, 1, "pt", "credito|entrada|entradas"},
	{Debit, 1, "sv", "uttag|ut"},
	{Credit, 1, "sv", "insattning|insattningar"},
	{Debit, 1, "da", "ut fra konto|ud|ut av konto|haevet"},
	{Credit, 1, "da", "inn pa konto|ind|indsat|inn"},
	{Debit, 1, "pl", "obciazenia|wyplaty|obciazenie"},
	{Credit, 1, "pl", "uznania|wplaty|uznanie"},

	{Direction, 1, "", "debit/credit|credit/debit|dr/cr|cr/dr|direction|d/c|c/d|credit or debit|debit or credit|transaction direction|credit debit indicator|debit/credit indicator|drcr|+/-|sign|dr / cr|in/out|credit/debit indicator|type (debit/credit)"},
	{Direction, 1, "de", "soll/haben|s/h|soll-/haben|umsatz soll/haben|soll/haben-kennzeichen|sh|s / h"},
	{Direction, 1, "nl", "af bij|af/bij|bij/af|bij af|debet/credit|d/c nl|debet credit"},
	{Direction, 1, "fr", "sens|sens de l'operation|debit/credit fr"},
	{Direction, 1, "es", "cargo/abono|debe/haber|tipo de movimiento d/c"},

	{Balance, 1, "", "balance|running balance|running bal|running bal.|account balance|closing balance|balance after transaction|available balance|ledger balance|balance amount|balance after|current balance|running total|post balance"},
	{Balance, 1, "de", "saldo|saldo nach buchung|kontostand|neuer saldo"},
	{Balance, 1, "fr", "solde|solde comptable|solde apres operation"},
	{Balance, 1, "es", "saldo disponible|saldo contable"},
	{Balance, 1, "it", "saldo contabile|saldo progressivo"},
	{Balance, 1, "sv", "bokfort saldo"},
	{Balance, 1, "pl", "saldo po operacji|saldo po transakcji|saldo rachunku"},
	{Balance, 1, "nl", "saldo na mutatie|saldo na trn|saldo na boeking"},

	{Currency, 1, "", "currency|ccy|currency code|cur|transaction currency|account currency|curr"},
	{Currency, 1, "de", "wahrung|waehrung|kontowahrung"},
	{Currency, 1, "nl", "munt|valuta code|muntsoort"},
	{Currency, 1, "fr", "devise|monnaie"},
	{Currency, 1, "es", "moneda|divisa"},
	{Currency, 1, "it", "divisa conto"},
	{Currency, 1, "pt", "moeda"},
	{Currency, 1, "pl", "waluta|waluta rachunku"},
	{Currency, 1, "cs", "mena"},

	{Fee, 1, "", "fee|fees|fee amount|transaction fee|processing fee|fees & taxes|fees and taxes"},
	{Net, 1, "", "net|net total|net amount"},
	{Total, 1, "", "total amount|total"},
	{Status, 1, "", "status|state|transaction status|payment status"},
	{Status, 1, "de", "info|umsatzstatus|buchungsstatus"},
	{Status, 1, "fr", "statut|etat"},
	{Status, 1, "es", "estado"},
	{ID, 1, "", "id|transaction id|transaction number|reference number|ref|ref number|transferwise id|txn id|transaction_id|unique id|fitid|bank reference|transaction reference|trn ref no|ref no./cheque no|chq./ref.no|reference id|tracking id|receipt number"},
	{Type, 1, "", "type|transaction type|transaction code|tran type|entry type|payment method|method|txn type|payment type|transaction_type|event type"},
	{BankGroup, 1, "", "category|bank category|spending category|merchant category|transaction category|mercury category"},
	{BankGroup, 1, "de", "kategorie"},
	{MCC, 1, "", "mcc|merchant category code|mcc code"},
	{Account, 1, "", "account|account number|account name|account no|account id|card no|card number|card|source account|iban|last four digits|card last four digits|member name|card member|cardholder|account ending"},
	{Account, 1, "de", "auftragskonto|konto|kontonummer|iban auftragskonto|bezeichnung auftragskonto|kartennummer"},
	{Account, 1, "nl", "rekening|rekeningnummer|iban/bban"},
	{Account, 1, "fr", "compte|numero de compte"},
	{Account, 1, "es", "cuenta"},
	{Check, 1, "", "check number|check or slip|check|check no|cheque|cheque number|cheque no|check #|check or slip #|num|chq no|check no.|serial number"},
	{Ignored, 1, "", "orig amount|original amount|amount (tip)|amount (tax)|amount (fee)|gross sales|net sales|beginning balance|ending balance|statement period venmo balance|discounts|tip|foreign amount|exchange rate|exchange to amount|orig currency|payment currency|original currency|fee currency|posted balance|tax|vat|time|timezone|time zone|source amount|target amount|foreign currency amount|instructed amount|local currency|instructed currency"},
	{Ignored, 1, "de", "originalbetrag|fremdwahrung|glaubiger-id|mandatsreferenz|betrag in fremdwahrung|ursprungsbetrag"},
}

// lexicon maps each word to its meaning. The first mention wins, so words that several languages share
// belong to none.
var lexicon = sync.OnceValue(func() map[string]word {
	all := map[string]word{}
	for _, s := range synonyms {
		for name := range strings.SplitSeq(s.words, "|") {
			if _, taken := all[name]; !taken {
				all[name] = word{s.role, s.rank, s.language}
			}
		}
	}
	return all
})
