import java.io.File;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;
import org.verapdf.pdfa.validation.profiles.Profiles;
import org.verapdf.pdfa.validation.profiles.Rule;
import org.verapdf.pdfa.validation.profiles.RuleId;
import org.verapdf.pdfa.validation.profiles.ValidationProfile;
import org.verapdf.pdfa.validation.profiles.Variable;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Has veraPDF check files against PDF/A-3a and PDF/UA-1, all of them in one Java machine.
 *
 * For each file and profile a line: file, profile, how many rules the profile has, how many checks were made, how many of them failed.
 * Behind it one for each rule that failed, indented: clause, test, what is asked for, where it first is not so. Columns are separated by
 * tabs.
 */
public final class Conformance {
    private static final int ALL = -1;
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    public static void main(String[] files) throws Exception {
        Logger.getLogger("").setLevel(Level.OFF);
        VeraGreenfieldFoundryProvider.initialise();
        for (ValidationProfile profile : List.of(read("PDFA-3A", PDFAFlavour.PDFA_3_A), read("PDFUA-1", PDFAFlavour.PDFUA_1))) {
            for (String file : files) {
                check(file, profile);
            }
        }
    }

    private static void check(String file, ValidationProfile profile) throws Exception {
        try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(file), profile.getPDFAFlavour());
                PDFAValidator validator = Foundries.defaultInstance().createValidator(profile, ALL, false, true, false)) {
            ValidationResult found = validator.validate(parser);
            int failed = found.getFailedChecks().values().stream().mapToInt(Integer::intValue).sum();
            int rules = profile.getRules().size();
            tell(file, profile.getPDFAFlavour().getId(), rules, found.getTotalAssertions(), failed);
            Set<RuleId> told = new HashSet<>();
            for (TestAssertion each : found.getTestAssertions()) {
                RuleId rule = each.getRuleId();
                if (told.add(rule)) {
                    tell("", rule.getClause(), rule.getTestNumber(), each.getMessage(), each.getLocation().getContext());
                }
            }
        }
    }

    private static void tell(Object... columns) {
        OUT.println(String.join("\t", Stream.of(columns).map(each -> each.toString().replaceAll("\\s+", " ")).toList()));
    }

    /** A profile out of its file: the package has these, but not what the library would read them with. */
    private static ValidationProfile read(String name, PDFAFlavour flavour) throws Exception {
        try (InputStream content = Profiles.class.getResourceAsStream("/org/verapdf/pdfa/validation/" + name + ".xml")) {
            Element profile = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(content).getDocumentElement();
            Set<Rule> rules = new HashSet<>();
            elements(profile, "rule").forEach(each -> rules.add(rule(each)));
            Set<Variable> variables = new HashSet<>();
            elements(profile, "variable").forEach(each -> variables.add(variable(each)));
            return Profiles.profileFromValues(
                    flavour, Profiles.profileDetailsFromValues(name, "", "", new Date(0)), "", rules, variables);
        }
    }

    private static Rule rule(Element rule) {
        Element id = elements(rule, "id").findFirst().orElseThrow();
        RuleId named = Profiles.ruleIdFromValues(
                PDFAFlavour.Specification.valueOf(id.getAttribute("specification")),
                id.getAttribute("clause"),
                Integer.parseInt(id.getAttribute("testNumber")));
        boolean isDeferred = rule.getAttribute("deferred").equals("true");
        return Profiles.ruleFromValues(
                named,
                rule.getAttribute("object"),
                isDeferred,
                rule.getAttribute("tags"),
                text(rule, "description"),
                text(rule, "test"),
                Profiles.errorFromValues(text(rule, "message"), List.of()),
                List.of());
    }

    private static Variable variable(Element variable) {
        return Profiles.variableFromValues(
                variable.getAttribute("name"), variable.getAttribute("object"), text(variable, "defaultValue"), text(variable, "value"));
    }

    private static String text(Element of, String name) {
        return elements(of, name).findFirst().orElseThrow().getTextContent();
    }

    private static Stream<Element> elements(Element of, String name) {
        NodeList found = of.getElementsByTagName(name);
        return IntStream.range(0, found.getLength()).mapToObj(number -> (Element) found.item(number));
    }
}
